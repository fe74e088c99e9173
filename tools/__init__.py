"""What writes the documents from the code: the gallery, its figures, the verdict table."""
