"""Every page, by the step that it belongs to."""

from fastapi import APIRouter

from audit.web.pages import (
    account_pages,
    audit_page,
    files_page,
    found_page,
    home_page,
    job_pages,
    page_rendering,
    people_pages,
    release_pages,
    shared_pages,
    sign_in_pages,
)

_MODULES = (
    page_rendering, sign_in_pages, home_page, account_pages, files_page, found_page, job_pages, audit_page,
    release_pages, shared_pages, people_pages,
)  # fmt: skip
ROUTERS: tuple[APIRouter, ...] = tuple(module.router for module in _MODULES)
"""Routes whose bodies are forms."""
UPLOADS: tuple[APIRouter, ...] = (files_page.uploads, audit_page.uploads)
"""Routes that receive files."""
