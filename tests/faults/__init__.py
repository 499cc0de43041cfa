"""What goes wrong around the service has a name, and ends without hands."""
