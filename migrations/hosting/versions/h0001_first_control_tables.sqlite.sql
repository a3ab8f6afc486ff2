CREATE TABLE service (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
)

CREATE TABLE person (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    sign_in_name TEXT,
    password TEXT,
    is_host INTEGER NOT NULL,
    may_begin INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    erased_at TEXT,
    PRIMARY KEY (id),
    UNIQUE (sign_in_name)
)

CREATE TABLE campaign (
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    removed_at TEXT,
    head BIGINT NOT NULL,
    PRIMARY KEY (id)
)

CREATE TABLE session (
    digest TEXT NOT NULL,
    person TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (digest),
    FOREIGN KEY(person) REFERENCES person (id)
)

CREATE TABLE api_token (
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    person TEXT NOT NULL,
    campaign TEXT,
    role TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT,
    PRIMARY KEY (id),
    UNIQUE (digest),
    FOREIGN KEY(person) REFERENCES person (id),
    FOREIGN KEY(campaign) REFERENCES campaign (id)
)

CREATE TABLE invitation (
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    campaign TEXT,
    role TEXT,
    made_by TEXT NOT NULL,
    made_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    revoked_at TEXT,
    PRIMARY KEY (id),
    UNIQUE (digest),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(made_by) REFERENCES person (id)
)

CREATE TABLE membership (
    campaign TEXT NOT NULL,
    person TEXT NOT NULL,
    role TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (campaign, person),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(person) REFERENCES person (id)
)

CREATE TABLE upload (
    id TEXT NOT NULL,
    campaign TEXT NOT NULL,
    person TEXT NOT NULL,
    path TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    received_at TEXT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(person) REFERENCES person (id)
)

CREATE TABLE revision (
    campaign TEXT NOT NULL,
    number INTEGER NOT NULL,
    person TEXT NOT NULL,
    made_at TEXT NOT NULL,
    note TEXT NOT NULL,
    change TEXT NOT NULL,
    files TEXT,
    findings TEXT,
    PRIMARY KEY (campaign, number),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(person) REFERENCES person (id)
)

CREATE TABLE job (
    number INTEGER NOT NULL,
    campaign TEXT NOT NULL,
    person TEXT NOT NULL,
    kind TEXT NOT NULL,
    arguments TEXT NOT NULL,
    state TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    beat BIGINT NOT NULL,
    cancel INTEGER NOT NULL,
    worker TEXT,
    step TEXT,
    done BIGINT NOT NULL,
    total BIGINT NOT NULL,
    outcome TEXT,
    queued_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    PRIMARY KEY (number),
    CONSTRAINT job_state CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(person) REFERENCES person (id)
)

CREATE UNIQUE INDEX one_running_job_of_a_campaign ON job (campaign, (kind IN ('anonymise', 'export'))) WHERE state = 'running'

CREATE INDEX job_of_state ON job (state, number)

CREATE TABLE release_part (
    campaign TEXT NOT NULL,
    release INTEGER NOT NULL,
    kind TEXT NOT NULL,
    folder TEXT NOT NULL,
    PRIMARY KEY (campaign, release, kind),
    FOREIGN KEY(campaign) REFERENCES campaign (id)
)

CREATE TABLE share_link (
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    campaign TEXT NOT NULL,
    release BIGINT NOT NULL,
    anonymous INTEGER NOT NULL,
    made_by TEXT NOT NULL,
    made_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT,
    PRIMARY KEY (id),
    UNIQUE (digest),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(made_by) REFERENCES person (id)
)

CREATE TABLE event (
    number INTEGER NOT NULL,
    campaign TEXT,
    person TEXT,
    at TEXT NOT NULL,
    act TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (number),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(person) REFERENCES person (id)
)

CREATE INDEX event_of_campaign ON event (campaign, number)

CREATE TRIGGER event_is_kept_0 BEFORE UPDATE ON event FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'event is kept as it is'); END

CREATE TRIGGER event_is_kept_1 BEFORE DELETE ON event FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'event is kept as it is'); END

CREATE TABLE release (
    campaign TEXT NOT NULL,
    number INTEGER NOT NULL,
    revision BIGINT NOT NULL,
    job INTEGER NOT NULL,
    folder TEXT NOT NULL,
    signatures TEXT NOT NULL,
    summary TEXT NOT NULL,
    made_at TEXT NOT NULL,
    published_at TEXT,
    published_by TEXT,
    PRIMARY KEY (campaign, number),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    UNIQUE (job),
    FOREIGN KEY(job) REFERENCES job (number),
    FOREIGN KEY(published_by) REFERENCES person (id)
)

CREATE TRIGGER release_is_kept_0 BEFORE DELETE ON release FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END

CREATE TRIGGER release_is_kept_1 BEFORE UPDATE OF campaign, number, revision, job, folder, signatures, summary, made_at ON release FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END

CREATE TRIGGER release_is_kept_2 BEFORE UPDATE OF published_at, published_by ON release FOR EACH ROW WHEN (OLD.published_at IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END
