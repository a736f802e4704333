"""A real model writes a program, and the sandbox runs it: one request, one cell.

    python examples/live_demo.py --live [python | javascript | typescript]

The endpoint is that of OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL, in the environment or in the file .env. A
request may cost money, so nothing is asked without --live. Needs the extra `chat`.
"""

import sys

from wasmhost import JavaScriptRuntime, PythonRuntime, SettingsError, TypeScriptRuntime

TASK = """\
Make up time-outs in milliseconds of at least eight requests of four services. Compute the mean for each service and
over all, print a summary as one line of JSON, and make an object with these means the value of the cell."""
RUNTIMES = {"python": PythonRuntime, "javascript": JavaScriptRuntime, "typescript": TypeScriptRuntime}


def main(words: list[str]) -> int:
    language = next((word for word in words if word in RUNTIMES), "typescript")
    if "--live" not in words:
        print("This asks a real model, which may cost money. To do so: python examples/live_demo.py --live")
        return 0
    from wasmhost.chat.chats import Chats, Stored
    from wasmhost.chat.endpoint import Endpoint
    from wasmhost.chat.screen import Screen
    from wasmhost.chat.talk import Talk

    try:
        endpoint = Endpoint.find()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    talk = Talk(Screen(), endpoint, None, Stored(Chats.new_id(), language, endpoint.model, [], None))
    with RUNTIMES[language]() as session:
        talk.ask(session, TASK)
    return 0 if talk.stored.turns and talk.stored.turns[-1].ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
