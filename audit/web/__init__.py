"""The service's pages and its HTTP interface; no engine in it: what is computed, a child process computes."""
