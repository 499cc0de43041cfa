"""Write messages to subscribers: for each channel a class and a template."""
