"""The service's own routes, by who calls them."""
