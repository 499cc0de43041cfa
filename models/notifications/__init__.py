"""Tell subscribers of incidents, maintenance, states and documents."""
