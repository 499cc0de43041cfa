"""The console, tested through its forms and pages."""
