"""The command line: arguments become a `Config`, and a command runs with it."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from difflib import get_close_matches
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from bidi_server import __version__
from bidi_server.commands import UsageError
from bidi_server.commands.options import groups, options
from bidi_server.config import BrowserName, Capability, Config, ConfigError, load_config
from bidi_server.shell.client import asks_for_help, drop_output, is_of_session, split
from bidi_server.shell.client import run as run_of_session
from bidi_server.shell.places import DEFAULT
from drivers.json_values import is_array

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bidi_server.shell.words import Commands

PROGRAM = "bidi-server"

SESSION = "session"
"""The command that serves a session. It is for `open`, not for people."""

SHELLS = ("bash", "zsh", "tcsh", "fish", "powershell")

END_SECONDS = 8.0
"""Timeout for an orderly end, in seconds. The guards of the browsers outlive this process as long as they need."""

AGREE = "Agree beforehand to commands that change the system."

DESCRIPTION = """\
An MCP server that drives real browsers over W3C WebDriver BiDi. Without a command it serves one client on stdin and
stdout: that is what MCP clients start. To try it without a client: `bidi-server demo`, or
`bidi-server call browser_navigate '{"url": "example.com"}'`."""

COMMANDS = {
    "demo": "play an agent in a small shop: every call, its answer and its time, and a screenshot",
    "call": "run tool calls in one session and print the answers",
    "install": "get a browser that is missing, or axe-core for audits",
    "doctor": "say what was found where, and whether it works",
    "replay": "run the steps of a plan in one or several browsers, and say what is different",
    "compare": "show a page, or the page after a plan, in several browsers and sizes, and say what is different",
    "policy": "say which URLs --allowed-urls and --blocked-urls allow, and by which pattern",
    "tools": "print the reference of every tool, as Markdown",
    "open": "open a session for commands such as snapshot, click and type, and a page in it",
    "help": "list the commands of a session",
    "skill": "print the SKILL.md from which agents learn these commands",
    "completion": "print the script for a shell that completes these commands",
}


EXAMPLES = {
    "demo": "--yes --browser firefox",
    "call": """browser_navigate '{"url": "example.com"}' browser_take_screenshot""",
    "install": "--yes chromium firefox",
    "doctor": "--browser chromium --executable /opt/chrome/chrome --driver /opt/chrome/chromedriver",
    "replay": "plan.json --browser chromium --browser firefox --junit results.xml --report report.html",
    "compare": "example.com --browser chromium --browser firefox --viewport 1280x720 --viewport 390x844",
    "policy": "check http://10.0.0.1/ https://example.com/ --blocked-urls ip:local",
    "tools": "--toolset vision --json",
    "open": "example.com --browser firefox --headed",
    "help": "",
    "skill": "> ~/.claude/skills/bidi-server/SKILL.md",
    "completion": "bash > ~/.local/share/bash-completion/completions/bidi-server",
}
"""Example arguments of each command."""


class Parser(argparse.ArgumentParser):
    """Argument parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(f"{message}. See: {self.prog} --help")


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code.

    It is 0, 1 after a failure, 2 for an invalid command line, or 128 + number after a signal.
    """
    code = 1
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Pages contain characters that some terminals cannot show.
            stream.reconfigure(errors="replace")
    try:
        main = prepare(arguments)
        # Imported objects are never freed.
        gc.freeze()
        gc.enable()
        code = main()
        # Otherwise buffered output would reach a closed pipe only when the interpreter ends.
        if sys.stdout:
            sys.stdout.flush()
    except* (UsageError, ConfigError) as wrong:
        print(f"{PROGRAM}: {wrong.exceptions[0]}", file=sys.stderr)
        code = 2
    except* KeyboardInterrupt:
        code = 130
    except* BrokenPipeError:
        drop_output()
        code = 1
    return code


def make_parser(of_session: Commands | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line, for completion with the commands of a session.

    Options that were not given are absent from its namespace.
    """
    form = partial(argparse.RawDescriptionHelpFormatter, max_help_position=30, width=112)
    parser = Parser(
        PROGRAM,
        usage="%(prog)s [OPTIONS] [COMMAND]",
        description=DESCRIPTION,
        formatter_class=form,
        allow_abbrev=False,
        add_help=False,
    )
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=Parser, prog=PROGRAM
    )

    def command(name: str, usage: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            usage=f"{PROGRAM} {name} {usage}",
            help=COMMANDS[name],
            description=f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}.",
            epilog=f"example: {PROGRAM} {name} {EXAMPLES[name]}",
            formatter_class=form,
            allow_abbrev=False,
        )

    demo = command("demo", "[--yes] [OPTIONS]")
    demo.add_argument("--yes", action="store_true", help=AGREE)
    call = command("call", "[OPTIONS] TOOL [JSON] [TOOL [JSON] ...]")
    call.add_argument(
        "calls", nargs="+", metavar="TOOL JSON", help="A tool and its arguments; - reads them from stdin."
    )
    install = command("install", "[--yes] [chromium] [firefox] [axe]")
    install.add_argument(
        "browsers",
        nargs="*",
        metavar="chromium|firefox|axe",
        help="Default: chromium. axe is axe-core, for browser_audit.",
    )
    install.add_argument("--yes", action="store_true", help=AGREE)
    doctor = command("doctor", "[--quick | --attack] [OPTIONS]")
    how = doctor.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="Start no browser.")
    how.add_argument(
        "--attack", action="store_true", help="Open hostile pages on this machine, and say what gets past the options."
    )
    replay = command(
        "replay", "PLAN [--browser NAME] [--repeat N] [--junit FILE] [--report FILE] [--update] [--audit] [OPTIONS]"
    )
    replay.add_argument("plan", type=Path, metavar="PLAN", help="File that browser_export_test wrote.")
    replay.add_argument(
        "--browser", dest="browsers", action="append", choices=get_args(BrowserName), help="Repeat it for several."
    )
    replay.add_argument("--repeat", type=_positive, default=1, metavar="N", help="Runs in each browser. Default: 1.")
    replay.add_argument("--base-url", default="", metavar="URL", help="Origin of the pages, in place of the plan's.")
    replay.add_argument("--junit", type=Path, metavar="FILE", help="Write the results as JUnit XML.")
    replay.add_argument("--report", type=Path, metavar="FILE", help="Write an HTML report with pictures of failures.")
    replay.add_argument("--update", action="store_true", help="Write healed locators back to the plan.")
    _add_audit(replay, "Audit the accessibility of each page that a step opens, and at the end.")
    compare = command("compare", "URL|PLAN [--browser NAME] [--viewport SIZE] [--report FILE] [--json FILE] [OPTIONS]")
    compare.add_argument("page", metavar="URL|PLAN", help="Page, or .json file that browser_export_test wrote.")
    compare.add_argument(
        "--browser",
        dest="browsers",
        action="append",
        choices=get_args(BrowserName),
        help="Repeat it for several; the others are compared with the first. Default: chromium and firefox.",
    )
    compare.add_argument(
        "--viewport",
        dest="viewports",
        action="append",
        type=_size,
        metavar="WIDTHxHEIGHT",
        help="Repeat it for several.",
    )
    compare.add_argument("--base-url", default="", metavar="URL", help="Origin of the pages, in place of the plan's.")
    _add_audit(compare, "Compare violations of accessibility too.")
    compare.add_argument("--report", type=Path, metavar="FILE", help="Write an HTML report with pictures.")
    compare.add_argument("--json", type=Path, metavar="FILE", help="Write the differences as JSON.")
    policy = command("policy", "check URL [URL ...] [--method METHOD] [OPTIONS]")
    policy.add_argument("action", choices=("check",), metavar="check", help="What to do.")
    policy.add_argument("urls", nargs="+", type=_url, metavar="URL", help="URLs of requests.")
    policy.add_argument("--method", type=str.upper, default="GET", help="Method of the requests. Default: GET.")
    tools = command("tools", "[--json] [OPTIONS]")
    tools.add_argument("--json", action="store_true", help="Print what tools/list answers with these options.")
    opens = command("open", "[URL] [OPTIONS]")
    opens.add_argument("url", nargs="?", metavar="URL", help="Page to open.")
    command("help", "")
    command("skill", "")
    completion = command("completion", "SHELL")
    completion.add_argument("shell", choices=SHELLS, help="The shell.")
    for name, takes_options in (
        ("", parser),
        ("demo", demo),
        ("call", call),
        ("doctor", doctor),
        ("replay", replay),
        ("compare", compare),
        ("policy", policy),
        ("tools", tools),
        ("open", opens),
    ):
        _add_options(takes_options, name)
    if of_session is not None:
        from bidi_server.shell.words import add_parameters

        for name, tool in of_session.tools.items():
            add_parameters(commands.add_parser(name, add_help=False, help=tool.description()), tool)
    general = parser.add_argument_group("about")
    general.add_argument("--help", "-h", action="help", help="Show this, or after a command what it takes.")
    general.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}", help="Show the version.")
    return parser


def _add_audit(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--audit", action="store_true", help=f"{text} Needs: {PROGRAM} install axe.")
    parser.add_argument(
        "--impact",
        choices=("minor", "moderate", "serious", "critical"),
        default="serious",
        help="The least impact of a violation that counts, with --audit. Default: serious.",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _url(text: str) -> str:
    """Return a URL as browsers write it."""
    from ada_url import URL

    try:
        return URL(text).href
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a URL such as https://example.com/") from None


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not cross:
        raise ValueError(text)
    return _positive(width), _positive(height)


REPEATED = {"replay": ("browser",), "compare": ("browser", "viewport")}
"""Options that a command takes several times, in place of the server's."""


def _add_options(parser: argparse.ArgumentParser, command: str) -> None:
    general = parser.add_argument_group(
        "options",
        "Also in the environment, --action-timeout as BIDI_SERVER_ACTION_TIMEOUT, and in the file of --config.",
    )
    general.add_argument(
        "--config", metavar="FILE", type=Path, default=argparse.SUPPRESS, help="TOML or JSON file with options."
    )
    for heading, members in groups(command):
        group = parser.add_argument_group(f"options: {heading}")
        for option in members:
            if option.name in REPEATED.get(command, ()):
                continue
            is_default_told = not option.default or "Default" in option.text
            text = option.text if is_default_told else f"{option.text} Default: {option.default}."
            if option.repeats:
                group.add_argument(
                    option.flag, metavar=option.values, action="append", default=argparse.SUPPRESS, help=text
                )
            elif option.values:
                group.add_argument(option.flag, metavar=option.values, default=argparse.SUPPRESS, help=text)
                for former in option.flags[1:]:
                    group.add_argument(former, dest=option.name, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
            else:
                group.add_argument(
                    option.flag, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=text
                )


def prepare(arguments: Sequence[str]) -> Callable[[], int]:
    """Parse a command line, import the modules that it needs, and return a function that runs it.

    Raises `UsageError` and `ConfigError`, and SystemExit for ``--help`` and ``--version``.
    """
    if arguments[:1] == [SESSION]:
        return _session(arguments[1], arguments[2:])
    if is_of_session(arguments):
        return _of_session(arguments)
    given, options, file = _parsed(arguments)
    match command := given.pop("command"):
        case "open":
            words = [*filter(None, [given["url"]]), *_as_arguments(options, file)]
            return partial(run_of_session, ["open", *words])
        case "install" | "help" | "skill" | "completion":
            if options or file:
                raise UsageError(f"{command} takes none of the server's options. See: {PROGRAM} {command} --help")
            return _without_config(command, given)
        case _:
            return _with_config(command, given, options, file)


def _parsed(arguments: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any], Path | None]:
    """Return what the command line says to its command, the options of the server, and the file of others."""
    arguments = joined(arguments)
    # Checked before argparse, which would take the value of an unknown option for the command.
    if wrong := [word for word in arguments if word.startswith("--") and word.partition("=")[0] not in flags()]:
        raise UsageError(_no_such(wrong[0]))
    parsed, unknown = make_parser().parse_known_args(arguments)
    if unknown:
        place = f"{PROGRAM} {parsed.command}" if parsed.command else PROGRAM
        raise UsageError(f"{unknown[0]}: {place} does not use it. See: {place} --help")
    given: dict[str, Any] = vars(parsed)
    file = given.pop("config", None)
    return given, {name: given.pop(name) for name in Config.model_fields if name in given}, file


def _with_config(
    command: str | None, given: Mapping[str, Any], options: dict[str, Any], file: Path | None
) -> Callable[[], int]:
    config = _with_secrets(load_config(options, file=file))
    _log(config)
    match command:
        case "demo":
            from bidi_server.commands.demo import demo

            return until_signal(partial(demo, config, _as_arguments(options, file), agreed=given["yes"]))
        case "call":
            from bidi_server.commands.call import call, parse_calls

            return until_signal(partial(call, config, parse_calls(given["calls"])))
        case "replay":
            from bidi_server.commands.replay import Options, replay_plan

            chosen = {name: value for name, value in given.items() if name != "plan"}
            return until_signal(partial(replay_plan, config, given["plan"], Options(**chosen)))
        case "compare":
            from bidi_server.commands.compare import Options, compare_page

            chosen = {name: value for name, value in given.items() if name != "page"}
            return until_signal(partial(compare_page, config, given["page"], Options(**chosen)))
        case "doctor" if given["attack"]:
            from bidi_server.commands.attack import attack

            return until_signal(partial(attack, config))
        case "doctor":
            from bidi_server.commands.doctor import doctor

            return until_signal(partial(doctor, config, quick=given["quick"]))
        case "policy":
            from bidi_server.commands.policy import check

            return partial(check, config, given["urls"], given["method"])
        case "tools":
            from bidi_server.commands.tools import tools

            return partial(tools, config, as_json=given["json"])
        case _:
            from bidi_server.commands.serve import server_of

            return until_signal(server_of(config), graceful=True)


def _without_config(command: str, given: Mapping[str, Any]) -> Callable[[], int]:
    match command:
        case "install":
            from bidi_server.commands.install import install

            return partial(install, given["browsers"], agreed=given["yes"])
        case "completion":
            from bidi_server.shell.reference import print_completion
            from bidi_server.shell.words import Commands

            return partial(print_completion, make_parser(Commands()), given["shell"])
        case "skill":
            from bidi_server.shell.reference import print_skill

            return print_skill
        case _:
            from bidi_server.shell.reference import print_commands

            return print_commands


def _with_secrets(config: Config) -> Config:
    if config.secrets is None and config.secrets_command is None:
        return config
    # Imported late: a server without secrets does not need it.
    from bidi_server.secret.options import with_secrets

    return with_secrets(config)


def _log(config: Config) -> None:
    logging.basicConfig(level=config.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def _session(name: str, words: Sequence[str]) -> Callable[[], int]:
    """Return a function that serves the session which ``bidi-server -s NAME open WORDS`` begins."""
    from bidi_server.sdk import defer

    defer()
    from bidi_server.shell.daemon import serve_session
    from bidi_server.shell.places import Place

    _, options, file = _parsed(["open", *words])
    # The others change pages: a command enables them when it needs them.
    caps = tuple(name for name in get_args(Capability) if name not in ("emulate", "webmcp"))
    always = {"caps": caps, "toolset": ("browser",), "transport": "stdio"}
    config = _with_secrets(load_config(options, file=file)).model_copy(update=always)
    _log(config)

    def opening(words: Sequence[str]) -> tuple[str | None, list[str]]:
        given, options, file = _parsed(["open", *words])
        return given["url"], _as_arguments(options, file)

    place = Place(str(Path.cwd()), name)
    return until_signal(partial(serve_session, config, place, _as_arguments(options, file), opening), graceful=True)


def _of_session(arguments: Sequence[str]) -> Callable[[], int]:
    """Return a function that prints the help of a command of a session. Raises `UsageError` if that is not wanted."""
    from bidi_server.shell.reference import print_help
    from bidi_server.shell.words import Commands

    name, _, (command, *words) = split(arguments)
    commands = Commands()
    if asks_for_help(words) and commands.knows(command):
        return partial(print_help, commands, command)
    if not commands.knows(command):
        raise UsageError(commands.unknown(command, COMMANDS))
    missing = f"no session {name!r} is open" if name != DEFAULT else "no session is open"
    raise UsageError(f"{missing} in {Path.cwd()}. Open one: {PROGRAM} open URL. See all: {PROGRAM} sessions")


def until_signal(main: Callable[[], Awaitable[int]], *, graceful: bool = False) -> Callable[[], int]:
    """Return a function that runs an asynchronous command and returns its exit code.

    SIGINT and SIGTERM cancel the command, so that it ends in an orderly way. After `END_SECONDS` or a second signal,
    the process ends at once. The exit code is then 128 + the signal's number. It is 0 after an orderly end if
    ``graceful``, for commands that usually end by a signal.
    """
    import signal

    import trio

    received: list[int] = []

    async def watch(scope: trio.CancelScope, *, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            received.append(await anext(signals))
            scope.cancel()
            with trio.move_on_after(END_SECONDS):
                await anext(signals)
            os._exit(128 + received[0])

    async def run_main() -> int:
        code = 0
        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                await nursery.start(watch, scope)
                code = await main()
            nursery.cancel_scope.cancel()
        return code

    def run_all() -> int:
        code = trio.run(run_main)
        return code if not received else 0 if graceful else 128 + received[0]

    return run_all


def _as_arguments(options: Mapping[str, object], file: Path | None) -> list[str]:
    """Return the arguments that pass these options to another server."""
    found = ["--config", str(file)] if file else []
    for name, value in options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            found.append(f"--{'' if value else 'no-'}{flag}")
        else:
            values = value if is_array(value) else [value]
            found += [f"--{flag}={each}" for each in values]
    return found


def joined(arguments: Sequence[str]) -> list[str]:
    """Join ``--browser-arg --lang=de`` into one argument: argparse would take the value for one of our options."""
    found: list[str] = []
    for argument in arguments:
        if found and found[-1] == "--browser-arg":
            found[-1] += f"={argument}"
        else:
            found.append(argument)
    return found


def flags() -> list[str]:
    """Return all valid arguments that begin with ``--``, in the order of the help."""
    ours = [
        "--config",
        *(flag for option in options() for flag in option.flags),
        "--help",
        "--version",
        "--yes",
        "--quick",
        "--attack",
        "--json",
        "--repeat",
        "--base-url",
        "--junit",
        "--report",
        "--update",
        "--method",
        "--audit",
        "--impact",
    ]
    return [*ours, *(option.flag.replace("--", "--no-") for option in options() if not option.values), "--"]


def _no_such(argument: str) -> str:
    close = get_close_matches(argument.partition("=")[0], flags(), 1)
    return f"{argument}: there is no such option. " + (
        f"Did you mean {close[0]}?" if close else f"See: {PROGRAM} --help"
    )
