"""The service's pages, as people use them."""
