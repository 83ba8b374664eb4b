"""Have the baseline agent sit an exam: `python examples/baseline_agent.py [URL]`.

It needs the extra `demo`. Without a URL it starts `snellen mcp` on this machine, with the sample
that ships; with one it takes the exam that is served there. `snellen demo` does the same and
writes a page.
"""

import asyncio
import sys
from tempfile import TemporaryDirectory

from snellen.sdk.demo.agent import Eyes, Step, take
from snellen.sdk.demo.exams import served_at, served_here
from snellen.sdk.ocr.reader import RapidReader, Shelf, cache_folder


def say(step: Step, number: int, of: int) -> None:
    """Print what the agent said, and why."""
    said = "no idea" if step.said.answer is None else repr(step.said.answer)
    print(f"{number} of {of}  {step.question.task}  {said}  ({step.said.why})")


async def main() -> None:
    """Take the exam and print each task's score beside what chance would have."""
    eyes = Eyes(RapidReader(), Shelf(cache_folder()))
    with TemporaryDirectory() as folder:
        store = f"{folder}/exam.sqlite"
        here = served_here(["--store", store, "--sample", "2"])
        async with served_at(sys.argv[1]) if len(sys.argv) > 1 else here as client:
            taken = await take(client, eyes, told=say)
    for task in taken.report["tasks"]:
        print(task["task"], task["metric"], task["value"], "chance", task["chance"])


if __name__ == "__main__":
    asyncio.run(main())
