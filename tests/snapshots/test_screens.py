"""Pictures of the screen. A change of the screen comes with its picture; look at it before accepting it."""

import pytest

from tests.ui.scenes import SCENES, arrange, build


@pytest.mark.parametrize("name", SCENES)
def test_screen(name, snap_compare):
    scene = SCENES[name]
    app, clock = build(scene)

    async def before(pilot):
        await arrange(pilot, scene, clock)

    assert snap_compare(app, terminal_size=scene.size, run_before=before)
