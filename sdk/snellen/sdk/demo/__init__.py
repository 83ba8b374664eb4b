"""The baseline agent: it looks with OCR and follows rules of layout; there is no language model.

It takes an exam through MCP as any agent does, and knows what any agent is told: the prompt, the
form of the answer, the images. Where its rules find nothing it says so and leaves the item open.

    exams      the exam as the agent meets it: a connection, questions, pictures
    seeing     a picture with its lines of text; marks: the boxes that are drawn on it
    ocr        RapidOCR behind `Reader`, and what was read, kept by the picture's digest
    skills     which kind of question is answered by which rule: a table
    agent      the loop
    demo       an exam of one's own, taken by the agent with its eyes open and with them shut
"""
