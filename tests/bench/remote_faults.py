"""All stream faults at random points, through the real child process and the real library.

`python tests/bench/remote_faults.py` runs each fault at 5 random events in both wire formats, `--full` at 50;
`--seed N` repeats a run. It prints what went wrong and, at the end, counts.
"""

import argparse
import asyncio
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.model.remote.host import ModelHost
from tests.model.remote.remote_tools import WIRES, warm
from tests.model.remote.test_remote_faults import ANSWER, check_stream_faults
from tests.provider.faults import STREAM_FAULTS, StreamFault, good_steps
from tests.provider.refusals import Wire
from tests.provider.server import Provider


def draw(points: int, seed: int) -> list[tuple[StreamFault, Wire, int]]:
    """Give each fault in each format at so many random events."""
    rng = random.Random(seed)
    return [
        (fault, wire, rng.randrange(len(good_steps(ANSWER, wire))))
        for fault in STREAM_FAULTS
        for wire in WIRES
        for _ in range(points)
    ]


async def main(points: int, seed: int) -> int:
    """Run them; give the number that went wrong."""
    provider, host = await Provider().start(), ModelHost()
    cases = draw(points, seed)
    await warm(host, provider)
    begin = time.monotonic()
    try:
        wrong = await check_stream_faults(host, provider, cases)
    finally:
        await host.close()
        await provider.close()
    for line in wrong:
        print(line)
    hangs = sum(line.endswith("hangs") for line in wrong)
    took = time.monotonic() - begin
    ran = f"{len(STREAM_FAULTS)} faults, {len(cases)} streams, seed {seed}"
    print(f"{ran}: {hangs} hangs, {len(wrong)} wrong, {took:.0f} s")
    return len(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="50 points for each fault and format")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    given = parser.parse_args()
    sys.exit(bool(asyncio.run(main(50 if given.full else 5, given.seed))))
