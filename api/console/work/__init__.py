"""The pages of work items: lists, the board, the roadmap, and the item."""
