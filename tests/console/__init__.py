"""The console, through its forms and pages."""
