"""Forms that ask for one operation of the HTTP interface: its body is the form, and a page comes after it."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from audit.service.people import Secret
from audit.service.queue import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ, Job
from audit.web import api
from audit.web.api import PASSED_ON
from audit.web.pages.page_rendering import page, to_page

router = APIRouter(include_in_schema=False)
_CAMPAIGN = "/campaigns/{campaign}"
_PEOPLE = "/campaigns/{campaign}/people"
_ACCOUNT = "/account"
FORMS: tuple[tuple[str, Callable[..., Any], str, str], ...] = (
    ("/campaigns", api.begin_campaign, "/campaigns/{result.id}/files", ""),
    (f"{_CAMPAIGN}/title", PASSED_ON["rename_campaign"], _PEOPLE, "renamed"),
    (f"{_CAMPAIGN}/remove", PASSED_ON["remove_campaign"], "/", "removed"),
    (
        "/removed/{removed}/restore",
        PASSED_ON["bring_back"],
        "/campaigns/{removed}/releases",
        "brought-back",
    ),
    (f"{_CAMPAIGN}/evaluate", api.start_evaluation, f"{_CAMPAIGN}/evaluate", ""),
    (f"{_CAMPAIGN}/jobs/{{number}}/cancel", api.cancel_job, f"{_CAMPAIGN}/{{shown}}", "cancelled"),
    (f"{_CAMPAIGN}/jobs/{{number}}/repeat", api.repeat_job, f"{_CAMPAIGN}/{{shown}}", ""),
    (
        f"{_CAMPAIGN}/releases/{{number}}/difference",
        api.compare_releases,
        f"{_CAMPAIGN}/releases/{{number}}",
        "",
    ),
    (
        f"{_CAMPAIGN}/releases/{{number}}/publish",
        PASSED_ON["publish_release"],
        f"{_CAMPAIGN}/releases",
        "published",
    ),
    (
        f"{_CAMPAIGN}/releases/{{number}}/withdraw",
        PASSED_ON["withdraw_release"],
        f"{_CAMPAIGN}/releases",
        "withdrawn",
    ),
    (
        f"{_CAMPAIGN}/releases/links/{{link}}/revoke",
        PASSED_ON["revoke_link"],
        f"{_CAMPAIGN}/releases",
        "link-revoked",
    ),
    (f"{_CAMPAIGN}/releases/links", PASSED_ON["make_link"], f"{_CAMPAIGN}/releases", "link"),
    (f"{_CAMPAIGN}/files/forget", api.forget_earlier, f"{_CAMPAIGN}/files", "given-back"),
    (f"{_PEOPLE}/owner", PASSED_ON["hand_over"], _PEOPLE, "handed-over"),
    (f"{_PEOPLE}/invitations", PASSED_ON["invite_member"], _PEOPLE, "invitation"),
    (f"{_PEOPLE}/{{person}}/remove", PASSED_ON["remove_member"], _PEOPLE, "member-removed"),
    (
        f"{_PEOPLE}/invitations/{{invitation}}/revoke",
        PASSED_ON["revoke_invitation"],
        _PEOPLE,
        "uninvited",
    ),
    (f"{_ACCOUNT}/tokens", api.make_token, _ACCOUNT, "token"),
    (
        f"{_ACCOUNT}/sessions/{{session}}/revoke",
        PASSED_ON["revoke_session"],
        _ACCOUNT,
        "session-ended",
    ),
    (f"{_ACCOUNT}/invitations", PASSED_ON["invite_to_service"], _ACCOUNT, "invitation"),
    (f"{_ACCOUNT}/tokens/{{token}}/revoke", PASSED_ON["revoke_token"], _ACCOUNT, "token-revoked"),
    (
        f"{_ACCOUNT}/invitations/{{invitation}}/revoke",
        PASSED_ON["revoke_service_invitation"],
        _ACCOUNT,
        "uninvited",
    ),
    # where a form is sent to, the operation that it asks for, the page that comes then, and what that says of the act
)
_SHOWS = {
    READ: "files",
    EVALUATE: "evaluate",
    ANONYMISE: "releases",
    EXPORT: "more/{release}",
    DIFFER: "releases/{release}",
    ASK: "answers/{number}",
}  # the page on which each kind of job is seen
SHOWN_ONCE = {
    "link": ("shared/", "Whoever has this link can read the release."),
    "invitation": ("invited/", "Send this link to whom you invite. It is good once, for a week."),
    "token": (None, "This is the token."),
}  # the address of a secret, and what is said of it, by the word of the act that made it


def _sent_as_form(operation: Callable[..., Any], then: str, done: str) -> Callable[..., Response]:
    """An operation whose body is the fields of a form, and whose answer is the way to a page, or what is shown once."""
    signature = inspect.signature(operation)

    def sent(request: Request, **arguments: Any) -> Response:  # noqa: ANN401 - those of the operation
        result = operation(
            **arguments, **({"request": request} if "request" in signature.parameters else {})
        )
        access = arguments.get("access")
        if isinstance(result, Job):
            shown = _SHOWS[result.kind].format(number=result.number, **result.arguments)
        else:
            shown = ""
        back = then.format(
            **{
                "campaign": access and access.campaign,
                **arguments,
                "result": result,
                "shown": shown,
            }
        )
        if not isinstance(result, Secret):
            return to_page(back, done)
        address, what = SHOWN_ONCE[done]
        if address is None:
            secret = result.secret
        else:
            secret = f"{request.base_url}{address}{result.secret}"
        if access:
            caller = access.caller
        else:
            caller = arguments["caller"]
        return page(
            request, "shown_once.html.j2", caller=caller, secret=secret, what=what, back=back
        )

    kinds = {
        "request": Request,
        **{name: _as_form(each.annotation) for name, each in signature.parameters.items()},
    }
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kinds[name])
        for name in kinds
    ]
    sent.__signature__ = signature.replace(parameters=parameters, return_annotation=Response)  # type: ignore[attr-defined]
    return sent


def _as_form(kind: Any) -> Any:  # noqa: ANN401 - of a parameter
    if isinstance(kind, type) and issubclass(kind, api.Body):
        return Annotated[kind, Form()]
    return kind


for _path, _operation, _then, _done in FORMS:
    router.add_api_route(_path, _sent_as_form(_operation, _then, _done), methods=["POST"])
