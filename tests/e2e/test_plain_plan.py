"""A plan in lines, at a terminal: looked at, changed, run, with a question of one of its tasks."""

from pathlib import Path

from terminal import terminal


def test_a_plan_is_looked_at_changed_and_run(tmp_path: Path) -> None:
    with terminal(tmp_path, "--plain") as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\nSells books.\n")
        screen.until(lambda text: text.rstrip("\n").endswith(">"))
        screen.write("/plan read README.md\n")
        screen.until("cancel: do nothing")
        screen.pause(0.6)
        screen.write("what?\n")  # decides nothing: the plan is shown again
        screen.until(lambda text: text.count("cancel: do nothing") == 2)
        screen.pause(0.6)
        screen.write("change run `touch made.txt`\n")
        screen.until("in 2 tasks")
        screen.until(lambda text: text.count("cancel: do nothing") == 3)
        screen.pause(0.6)
        screen.write("run\n")
        screen.until("t2 asks:")
        screen.pause(0.6)
        screen.write("y\n")
        screen.until("2 of 2 tasks are done")
        assert (tmp_path / "project/made.txt").exists()
        screen.write("\x04")
        assert screen.wait() == 0
