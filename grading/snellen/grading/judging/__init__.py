"""What a judge is asked, how its reply is read, and how far it can be trusted.

A judge is whoever answers the prompt that `render` makes with a line that `read_verdict` reads: a
model, or a person at a keyboard. Nothing here asks anybody. What a judge says is auxiliary: it
stands beside a report's score and never enters it.
"""
