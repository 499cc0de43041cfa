"""The pages of projects, and of what belongs to one."""
