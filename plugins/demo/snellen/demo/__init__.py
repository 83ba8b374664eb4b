"""The baseline agent: it uses OCR and layout rules, without a language model.

It takes an exam over MCP like any agent, with the same information: the prompt, the answer format
and the images. If its rules find no answer, it reports that and leaves the item open.

    skills     a table of the kinds of questions and their rules
    agent      the loop
    run        a local exam, taken by the agent with and without the images
    page       the demonstration as a page
"""
