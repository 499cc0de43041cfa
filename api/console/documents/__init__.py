"""Find, write, publish and restore documents, with their pictures."""
