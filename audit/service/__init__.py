"""What the service keeps and does: people, roles, files, a queue and its workers, releases. Only the stages compute."""
