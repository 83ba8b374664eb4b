"""The baseline agent: it looks with OCR and follows rules of layout; there is no language model.

It takes an exam through MCP as any agent does, and knows what any agent gets: the prompt, the
form of the answer, the images. Where its rules find nothing it says so and leaves the item open.

    skills     which kind of question is answered by which rule: a table
    agent      the loop
    run        an exam of one's own, taken by the agent with the images and without
    page       the demonstration as a page
"""
