"""What an exam asks and by which rules; options in another order."""
