"""Steps that change files: write one, replace a text in one, create a small project."""

from paitui.model.offline import cues
from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import CreateProject, Edit, Write
from paitui.model.offline.projects import DEFAULT_VERSIONS, project_files
from paitui.model.offline.quoting import entries, listed
from paitui.model.offline.reading import failure
from paitui.model.offline.tooling import Wanted


def write(intent: Write, ground: Ground) -> Step:
    """Write a file."""
    say, path = ground.speech, intent.path
    deed = ground.deed("write_file", path)
    if deed is None:
        return Ask((Wanted("write_file", {"path": path, "content": intent.content}),), say("say_write", path=path))
    if deed.failed:
        return Answer(failure(f"write_file `{path}`", deed.result, ground))
    return Answer(say("written", path=path, chars=len(intent.content)))


def edit(intent: Edit, ground: Ground) -> Step:
    """Look at a file, then replace a text in it; where the text does not stand in it, nothing is changed."""
    say, path = ground.speech, intent.path
    seen = ground.deed("read_file", path)
    if seen is None:
        return Ask((Wanted("read_file", {"path": path}),), say("say_look_first", path=path))
    if seen.failed:
        return Answer(failure(f"read_file `{path}`", seen.result, ground))
    deed = ground.deed("edit_file", path)
    if deed is not None:
        if deed.failed:
            return Answer(failure(f"edit_file `{path}`", deed.result, ground))
        return Answer(say("edited", path=path, old=_short(intent.old), new=_short(intent.new)))
    result = seen.result
    if result is not None and result.state == "live" and intent.old not in result.text and "\n" not in intent.old:
        return Answer(say("edit_absent", path=path, old=_short(intent.old)))
    several = result is not None and result.text.count(intent.old) > 1
    arguments = {"path": path, "old": intent.old, "new": intent.new, **({"all": True} if several else {})}
    return Ask((Wanted("edit_file", arguments),), say("say_edit", path=path))


def _short(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else text
    return line if len(line) <= 60 else f"{line[:59]}…"


def create(intent: CreateProject, ground: Ground) -> Step:
    """Write the files of a small project into a new folder; the first refusal ends it."""
    say, name = ground.speech, intent.name
    there = ground.deed("glob_files", f"{name}/**")
    if there is None and "glob_files" in ground.tools:
        return Ask((Wanted("glob_files", {"pattern": f"{name}/**"}),), say("say_free", name=name))
    version = intent.version or stated_version(intent, ground) or DEFAULT_VERSIONS[intent.kind]
    files = project_files(intent.kind, name, version)
    done = {path: deed for path in files if (deed := ground.deed("write_file", path)) is not None}
    for path, deed in done.items():
        if deed.failed:
            made = [p for p, d in done.items() if not d.failed]
            rest = say("create_made", files=listed(made)) if made else say("create_none")
            return Answer(f"{failure(f'write_file `{path}`', deed.result, ground)} {rest}")
    if not done and there is not None and not there.failed and there.result is not None:
        present = [entry for entry in entries(there.result.text) if entry.startswith(f"{name}/")]
        if present:
            return Answer(say("create_taken", name=name, files=listed(present)))
    missing = [path for path in files if path not in done]
    if missing:
        # The first file goes alone: if it is refused, the user is not asked about the others.
        batch = missing if done else missing[:1]
        calls = tuple(Wanted("write_file", {"path": path, "content": files[path]}) for path in batch)
        plan = say("plan_create", kind=intent.kind, version=version, n=len(files))
        if hint := _remembered(intent, ground):
            plan = f"{plan} {say('plan_remembered', hint=hint)}"
        return Ask(calls, say("say_create", files=listed(batch), kind=intent.kind, version=version), plan)
    return Answer(say(f"created_{intent.kind}", name=name, version=version, files=listed(list(files))))


def stated_version(intent: CreateProject, ground: Ground) -> str:
    """The version that the user named for this language, the newest statement first; then what is remembered."""
    pattern = cues.USED_VERSION[intent.kind]
    for text in (*ground.user_texts, *ground.memories):
        if found := pattern.findall(text):
            return str(found[-1])
    return ""


def _remembered(intent: CreateProject, ground: Ground) -> str:
    """The memory that gave the version; empty if the user named it in this conversation."""
    pattern = cues.USED_VERSION[intent.kind]
    if intent.version or any(pattern.search(text) for text in ground.user_texts):
        return ""
    return next((line.removeprefix("- ") for line in ground.memories if pattern.search(line)), "")
