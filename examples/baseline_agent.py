"""Have the baseline agent take an exam: `python examples/baseline_agent.py [URL]`.

It needs the extra `demo`. Without a URL it starts `snellen mcp` on this machine, with two
of the wireframes; with one it takes the exam that is served there. `snellen demo` does the same and
writes a page.
"""

import asyncio
import sys
from tempfile import TemporaryDirectory

from snellen import sdk
from snellen.demo.agent import Vision, take
from snellen.demo.ocr.reader import RapidReader, Shelf, cache_folder
from snellen.sdk.exam.taken import Step


def show(step: Step, number: int, of: int) -> None:
    """Print what the agent answered, and why."""
    answer = "no idea" if step.answer is None else repr(step.answer)
    print(f"{number} of {of}  {step.question.task}  {answer}  ({step.why})")


async def main() -> None:
    """Take the exam and print each task's score beside what chance would have."""
    vision = Vision(RapidReader(), Shelf(cache_folder()))
    with TemporaryDirectory() as folder:
        here = sdk.ExamClient.launch(
            ["--store", f"{folder}/exam.sqlite", "wireframes", "--sample", "2"]
        )
        async with sdk.ExamClient.connect(sys.argv[1]) if len(sys.argv) > 1 else here as exam:
            taken = await take(exam, vision, notify=show)
    for task in taken.report["tasks"]:
        print(task["task"], task["metric"], task["value"], "chance", task["chance"])


if __name__ == "__main__":
    asyncio.run(main())
