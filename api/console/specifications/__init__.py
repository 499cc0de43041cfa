"""The pages of specifications: lists, coverage, the text, and its revisions."""
