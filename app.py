"""Where everything meets: settings, time, the application, the builder, commands."""
