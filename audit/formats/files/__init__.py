"""What lies in a campaign folder: folders, archives and compressed files, their limits, and the text of a file."""
