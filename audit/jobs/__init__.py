"""Jobs of the service: a worker claims one, a child process does it, and the newest attempt alone writes."""
