"""A long piece of code gets its colours bit by bit, while keys come in between."""

from paitui.ui.widgets.transcript import COLOR_S
from tests.ui.scenes import Scene, answered, arrange, build

CODE = "def export(orders):\n    return [order.total for order in orders]  # all of them\n" * 300


async def test_all_of_it_is_coloured_in_the_end_and_nothing_moves():
    scene = Scene(answered(f"Here:\n\n```python\n{CODE}```\n", "show it"), (100, 30))
    app, clock = build(scene)
    async with app.run_test(size=scene.size) as pilot:
        await arrange(pilot, scene, clock)
        transcript = app.chat.transcript
        at = transcript.count() - 1
        rows, top = len(transcript.rows_of(at)), transcript.top_row
        for _ in range(500):
            if not transcript._answers:
                break
            await pilot.pause(COLOR_S)
        drawn = [span.ink for row in transcript.rows_of(at) for span in row]
        assert drawn.count("code_keyword") == 300 * 4
        assert len(transcript.rows_of(at)) == rows and transcript.top_row == top
