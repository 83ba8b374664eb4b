"""ScreenQA: questions about screens of mobile apps."""
