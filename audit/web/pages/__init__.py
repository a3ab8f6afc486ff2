"""The pages: what people see of the service; each does what the HTTP interface does."""
