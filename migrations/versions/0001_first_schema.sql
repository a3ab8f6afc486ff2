-- The one schema. Until the first release it is amended in place; from then on it never changes.
-- audit/store/tables.py says the same for the program, docs/store.md for readers; tests compare them.

-- What was handed in

CREATE TABLE task (
    id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    options TEXT NOT NULL,
    CONSTRAINT pk_task PRIMARY KEY (id),
    CONSTRAINT ck_task_slug CHECK (slug <> ''),
    CONSTRAINT uq_task_slug UNIQUE (slug)
);

CREATE TABLE source_file (
    id INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    crc32 INTEGER NOT NULL,
    compressed BLOB NOT NULL,
    CONSTRAINT pk_source_file PRIMARY KEY (id),
    CONSTRAINT ck_source_file_sha256 CHECK (length(sha256) = 64),
    CONSTRAINT ck_source_file_size CHECK (size >= 0),
    CONSTRAINT ck_source_file_compressed CHECK (length(compressed) > 0),
    CONSTRAINT uq_source_file_sha256 UNIQUE (sha256)
);

CREATE TABLE gold (
    id INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    digest TEXT NOT NULL,
    n_items INTEGER NOT NULL,
    unit TEXT,
    stratified BOOLEAN NOT NULL CONSTRAINT ck_gold_stratified CHECK (stratified IN (0, 1)),
    CONSTRAINT pk_gold PRIMARY KEY (id),
    CONSTRAINT uq_gold_task_id_digest UNIQUE (task_id, digest),
    CONSTRAINT ck_gold_digest CHECK (length(digest) = 64),
    CONSTRAINT ck_gold_n_items CHECK (n_items >= 1),
    CONSTRAINT fk_gold_task_id FOREIGN KEY(task_id) REFERENCES task (id) ON DELETE CASCADE
);

CREATE TABLE label (
    gold_id INTEGER NOT NULL,
    code INTEGER NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_label PRIMARY KEY (gold_id, code),
    CONSTRAINT uq_label_gold_id_name UNIQUE (gold_id, name),
    CONSTRAINT ck_label_code CHECK (code >= 0),
    CONSTRAINT fk_label_gold_id FOREIGN KEY(gold_id) REFERENCES gold (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE item (
    gold_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    external_id TEXT,
    code INTEGER NOT NULL,
    group_code INTEGER,
    CONSTRAINT pk_item PRIMARY KEY (gold_id, position),
    CONSTRAINT uq_item_gold_id_external_id UNIQUE (gold_id, external_id),
    CONSTRAINT ck_item_position CHECK (position >= 0),
    CONSTRAINT ck_item_code CHECK (code >= 0),
    CONSTRAINT fk_item_gold_id FOREIGN KEY(gold_id) REFERENCES gold (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE slice_column (
    gold_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    codes BLOB NOT NULL,
    CONSTRAINT pk_slice_column PRIMARY KEY (gold_id, position),
    CONSTRAINT ck_slice_column_position CHECK (position >= 0),
    CONSTRAINT fk_slice_column_gold_id FOREIGN KEY(gold_id) REFERENCES gold (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE slice_value (
    gold_id INTEGER NOT NULL,
    column_position INTEGER NOT NULL,
    code INTEGER NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_slice_value PRIMARY KEY (gold_id, column_position, code),
    CONSTRAINT uq_slice_value_gold_id_column_position_name UNIQUE (gold_id, column_position, name),
    CONSTRAINT ck_slice_value_code CHECK (code >= 0),
    CONSTRAINT fk_slice_value_gold_id_column_position FOREIGN KEY(gold_id, column_position) REFERENCES slice_column (gold_id, position) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE load (
    id INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    gold_id INTEGER NOT NULL,
    loaded_at TEXT NOT NULL,
    program_version TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    title TEXT NOT NULL,
    note TEXT NOT NULL,
    labels_declared BOOLEAN NOT NULL,
    rest_label TEXT,
    official_metric TEXT,
    official_prevalence TEXT,
    official_decimals INTEGER,
    family TEXT,
    part TEXT,
    overall TEXT,
    weight REAL NOT NULL,
    scored_label TEXT,
    gold_path TEXT,
    gold_file_id INTEGER,
    group_path TEXT,
    group_file_id INTEGER,
    label_names_path TEXT,
    label_names_file_id INTEGER,
    roster_path TEXT,
    roster_file_id INTEGER,
    settings_path TEXT,
    settings_file_id INTEGER,
    words_digest TEXT NOT NULL,
    CONSTRAINT pk_load PRIMARY KEY (id),
    CONSTRAINT ck_load_fingerprint CHECK (length(fingerprint) = 64),
    CONSTRAINT ck_load_words_digest CHECK (length(words_digest) = 64),
    CONSTRAINT ck_load_labels_declared CHECK (labels_declared IN (0, 1)),
    CONSTRAINT ck_load_official_decimals CHECK (official_decimals >= 0),
    CONSTRAINT ck_load_official CHECK ((official_metric IS NULL) = (official_prevalence IS NULL)),
    CONSTRAINT ck_load_gold_file CHECK ((gold_path IS NULL) = (gold_file_id IS NULL)),
    CONSTRAINT ck_load_group_file CHECK ((group_path IS NULL) = (group_file_id IS NULL)),
    CONSTRAINT ck_load_label_names_file CHECK ((label_names_path IS NULL) = (label_names_file_id IS NULL)),
    CONSTRAINT ck_load_roster_file CHECK ((roster_path IS NULL) = (roster_file_id IS NULL)),
    CONSTRAINT ck_load_settings_file CHECK ((settings_path IS NULL) = (settings_file_id IS NULL)),
    CONSTRAINT ck_load_part CHECK (part IS NULL OR family IS NOT NULL),
    CONSTRAINT fk_load_task_id FOREIGN KEY(task_id) REFERENCES task (id) ON DELETE CASCADE,
    CONSTRAINT fk_load_gold_id FOREIGN KEY(gold_id) REFERENCES gold (id) ON DELETE NO ACTION,
    CONSTRAINT fk_load_gold_file_id FOREIGN KEY(gold_file_id) REFERENCES source_file (id) ON DELETE NO ACTION,
    CONSTRAINT fk_load_group_file_id FOREIGN KEY(group_file_id) REFERENCES source_file (id) ON DELETE NO ACTION,
    CONSTRAINT fk_load_label_names_file_id FOREIGN KEY(label_names_file_id) REFERENCES source_file (id) ON DELETE NO ACTION,
    CONSTRAINT fk_load_roster_file_id FOREIGN KEY(roster_file_id) REFERENCES source_file (id) ON DELETE NO ACTION,
    CONSTRAINT fk_load_settings_file_id FOREIGN KEY(settings_file_id) REFERENCES source_file (id) ON DELETE NO ACTION
);

CREATE INDEX ix_load_gold_file_id ON load (gold_file_id);

CREATE INDEX ix_load_gold_id ON load (gold_id);

CREATE INDEX ix_load_group_file_id ON load (group_file_id);

CREATE INDEX ix_load_label_names_file_id ON load (label_names_file_id);
CREATE INDEX ix_load_roster_file_id ON load (roster_file_id);

CREATE INDEX ix_load_settings_file_id ON load (settings_file_id);

CREATE INDEX ix_load_task_id ON load (task_id);

CREATE TABLE label_name (
    load_id INTEGER NOT NULL,
    code INTEGER NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_label_name PRIMARY KEY (load_id, code),
    CONSTRAINT uq_label_name_load_id_name UNIQUE (load_id, name),
    CONSTRAINT fk_label_name_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE policy (
    load_id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_policy PRIMARY KEY (load_id, slug),
    CONSTRAINT fk_policy_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE chosen_run (
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    team TEXT NOT NULL,
    run TEXT NOT NULL,
    reason TEXT NOT NULL,
    CONSTRAINT pk_chosen_run PRIMARY KEY (load_id, position),
    CONSTRAINT fk_chosen_run_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE prevalence (
    id INTEGER NOT NULL,
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_prevalence PRIMARY KEY (id),
    CONSTRAINT uq_prevalence_load_id_position UNIQUE (load_id, position),
    CONSTRAINT fk_prevalence_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
);

CREATE TABLE prevalence_share (
    prevalence_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    label TEXT NOT NULL,
    share REAL NOT NULL,
    CONSTRAINT pk_prevalence_share PRIMARY KEY (prevalence_id, position),
    CONSTRAINT ck_prevalence_share_share CHECK (share > 0),
    CONSTRAINT fk_prevalence_share_prevalence_id FOREIGN KEY(prevalence_id) REFERENCES prevalence (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE assumption (
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    sentence TEXT NOT NULL,
    CONSTRAINT pk_assumption PRIMARY KEY (load_id, position),
    CONSTRAINT fk_assumption_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE journal (
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    count INTEGER NOT NULL,
    CONSTRAINT pk_journal PRIMARY KEY (load_id, position),
    CONSTRAINT fk_journal_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE ignored_file (
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    CONSTRAINT pk_ignored_file PRIMARY KEY (load_id, position),
    CONSTRAINT fk_ignored_file_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE published_table (
    load_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    source_file_id INTEGER,
    CONSTRAINT pk_published_table PRIMARY KEY (load_id),
    CONSTRAINT fk_published_table_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE,
    CONSTRAINT fk_published_table_source_file_id FOREIGN KEY(source_file_id) REFERENCES source_file (id) ON DELETE NO ACTION
);

CREATE INDEX ix_published_table_source_file_id ON published_table (source_file_id);

CREATE TABLE published_team (
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    team TEXT NOT NULL,
    CONSTRAINT pk_published_team PRIMARY KEY (load_id, position),
    CONSTRAINT fk_published_team_load_id FOREIGN KEY(load_id) REFERENCES published_table (load_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE published_column (
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    heading TEXT NOT NULL,
    set_aside TEXT,
    CONSTRAINT pk_published_column PRIMARY KEY (load_id, position),
    CONSTRAINT fk_published_column_load_id FOREIGN KEY(load_id) REFERENCES published_table (load_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE published_score (
    load_id INTEGER NOT NULL,
    column_position INTEGER NOT NULL,
    team_position INTEGER NOT NULL,
    printed TEXT NOT NULL,
    units INTEGER NOT NULL,
    decimals INTEGER NOT NULL,
    percent BOOLEAN NOT NULL,
    CONSTRAINT pk_published_score PRIMARY KEY (load_id, column_position, team_position),
    CONSTRAINT fk_published_score_load_id_column_position FOREIGN KEY(load_id, column_position) REFERENCES published_column (load_id, position) ON DELETE CASCADE,
    CONSTRAINT fk_published_score_load_id_team_position FOREIGN KEY(load_id, team_position) REFERENCES published_team (load_id, position) ON DELETE CASCADE,
    CONSTRAINT ck_published_score_decimals CHECK (decimals >= 0),
    CONSTRAINT ck_published_score_percent CHECK (percent IN (0, 1)),
    CONSTRAINT fk_published_score_load_id FOREIGN KEY(load_id) REFERENCES published_table (load_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE submission (
    id INTEGER NOT NULL,
    gold_id INTEGER NOT NULL,
    loaded_in INTEGER NOT NULL,
    replaced_in INTEGER,
    position INTEGER NOT NULL,
    team TEXT NOT NULL,
    run TEXT,
    path TEXT,
    source_file_id INTEGER,
    n_missing INTEGER NOT NULL,
    n_unusable INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    words_digest TEXT NOT NULL,
    codes BLOB NOT NULL,
    scores BLOB,
    role TEXT NOT NULL CONSTRAINT ck_submission_role CHECK (role IN ('primary', 'contrastive', 'baseline', 'late', 'unofficial', 'withdrawn')),
    affiliation TEXT,
    paper TEXT,
    CONSTRAINT pk_submission PRIMARY KEY (id),
    CONSTRAINT ck_submission_fingerprint CHECK (length(fingerprint) = 64),
    CONSTRAINT ck_submission_words_digest CHECK (length(words_digest) = 64),
    CONSTRAINT ck_submission_source_file CHECK ((path IS NULL) = (source_file_id IS NULL)),
    CONSTRAINT ck_submission_replaced_in CHECK (replaced_in > loaded_in),
    CONSTRAINT ck_submission_n_missing CHECK (n_missing >= 0),
    CONSTRAINT ck_submission_n_unusable CHECK (n_unusable >= 0),
    CONSTRAINT ck_submission_codes CHECK (length(codes) > 0),
    CONSTRAINT ck_submission_scores CHECK (length(scores) > 0),
    CONSTRAINT fk_submission_gold_id FOREIGN KEY(gold_id) REFERENCES gold (id) ON DELETE CASCADE,
    CONSTRAINT fk_submission_loaded_in FOREIGN KEY(loaded_in) REFERENCES load (id) ON DELETE NO ACTION,
    CONSTRAINT fk_submission_replaced_in FOREIGN KEY(replaced_in) REFERENCES load (id) ON DELETE NO ACTION,
    CONSTRAINT fk_submission_source_file_id FOREIGN KEY(source_file_id) REFERENCES source_file (id) ON DELETE NO ACTION
);

CREATE INDEX ix_submission_gold_id ON submission (gold_id);

CREATE INDEX ix_submission_loaded_in ON submission (loaded_in);

CREATE INDEX ix_submission_replaced_in ON submission (replaced_in);

CREATE INDEX ix_submission_source_file_id ON submission (source_file_id);

CREATE UNIQUE INDEX uq_submission_current_run ON submission (gold_id, team, run) WHERE replaced_in IS NULL AND run IS NOT NULL;

CREATE UNIQUE INDEX uq_submission_current_team ON submission (gold_id, team) WHERE replaced_in IS NULL AND run IS NULL;

CREATE TABLE unusable_label (
    submission_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    label TEXT NOT NULL,
    count INTEGER NOT NULL,
    CONSTRAINT pk_unusable_label PRIMARY KEY (submission_id, position),
    CONSTRAINT ck_unusable_label_count CHECK (count >= 1),
    CONSTRAINT fk_unusable_label_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE rejection (
    id INTEGER NOT NULL,
    load_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    CONSTRAINT pk_rejection PRIMARY KEY (id),
    CONSTRAINT uq_rejection_load_id_position UNIQUE (load_id, position),
    CONSTRAINT fk_rejection_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
);

CREATE TABLE issue (
    id INTEGER NOT NULL,
    submission_id INTEGER,
    rejection_id INTEGER,
    position INTEGER NOT NULL,
    slug TEXT NOT NULL,
    file TEXT NOT NULL,
    found TEXT NOT NULL,
    expected TEXT NOT NULL,
    remedy TEXT NOT NULL,
    lines TEXT NOT NULL,
    count INTEGER NOT NULL,
    fatal BOOLEAN NOT NULL,
    CONSTRAINT pk_issue PRIMARY KEY (id),
    CONSTRAINT uq_issue_submission_id_position UNIQUE (submission_id, position),
    CONSTRAINT uq_issue_rejection_id_position UNIQUE (rejection_id, position),
    CONSTRAINT ck_issue_owner CHECK ((submission_id IS NULL) <> (rejection_id IS NULL)),
    CONSTRAINT ck_issue_fatal CHECK (fatal IN (0, 1)),
    CONSTRAINT fk_issue_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id) ON DELETE CASCADE,
    CONSTRAINT fk_issue_rejection_id FOREIGN KEY(rejection_id) REFERENCES rejection (id) ON DELETE CASCADE
);

-- What was computed of it

CREATE TABLE evaluation (
    id INTEGER NOT NULL,
    load_id INTEGER NOT NULL,
    evaluated_at TEXT NOT NULL,
    program_version TEXT NOT NULL,
    signature TEXT NOT NULL,
    options TEXT NOT NULL,
    n_flags INTEGER NOT NULL,
    digest TEXT NOT NULL,
    document TEXT NOT NULL,
    CONSTRAINT pk_evaluation PRIMARY KEY (id),
    CONSTRAINT uq_evaluation_load_id_signature UNIQUE (load_id, signature),
    CONSTRAINT ck_evaluation_digest CHECK (length(digest) = 64),
    CONSTRAINT ck_evaluation_n_flags CHECK (n_flags >= 0),
    CONSTRAINT fk_evaluation_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE
);

CREATE TABLE entry (
    evaluation_id INTEGER NOT NULL,
    submission_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    competes BOOLEAN NOT NULL,
    n_dropped INTEGER NOT NULL,
    CONSTRAINT pk_entry PRIMARY KEY (evaluation_id, submission_id),
    CONSTRAINT uq_entry_evaluation_id_name UNIQUE (evaluation_id, name),
    CONSTRAINT ck_entry_competes CHECK (competes IN (0, 1)),
    CONSTRAINT ck_entry_n_dropped CHECK (n_dropped >= 0),
    CONSTRAINT fk_entry_evaluation_id FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE,
    CONSTRAINT fk_entry_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX ix_entry_submission_id ON entry (submission_id);

CREATE TABLE score (
    evaluation_id INTEGER NOT NULL,
    metric TEXT NOT NULL,
    prevalence TEXT NOT NULL,
    submission_id INTEGER NOT NULL,
    value REAL,
    rank INTEGER NOT NULL,
    lower REAL,
    upper REAL,
    mark TEXT,
    CONSTRAINT pk_score PRIMARY KEY (evaluation_id, metric, prevalence, submission_id),
    CONSTRAINT ck_score_rank CHECK (rank >= 1),
    CONSTRAINT ck_score_lower CHECK (lower <= value),
    CONSTRAINT ck_score_upper CHECK (upper >= value AND (lower IS NULL) = (upper IS NULL)),
    CONSTRAINT ck_score_mark CHECK (lower IS NULL OR mark IS NULL),
    CONSTRAINT fk_score_evaluation_id FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE,
    CONSTRAINT fk_score_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX ix_score_submission_id ON score (submission_id);

CREATE TABLE standing (
    evaluation_id INTEGER NOT NULL,
    metric TEXT NOT NULL,
    prevalence TEXT NOT NULL,
    submission_id INTEGER NOT NULL,
    could_be_best BOOLEAN NOT NULL,
    first_rank INTEGER NOT NULL,
    last_rank INTEGER NOT NULL,
    tier INTEGER NOT NULL,
    leader_lower REAL,
    leader_upper REAL,
    CONSTRAINT pk_standing PRIMARY KEY (evaluation_id, metric, prevalence, submission_id),
    CONSTRAINT ck_standing_could_be_best CHECK (could_be_best IN (0, 1)),
    CONSTRAINT ck_standing_ranks CHECK (1 <= first_rank AND first_rank <= last_rank),
    CONSTRAINT ck_standing_tier CHECK (tier >= 1),
    CONSTRAINT ck_standing_leader CHECK (leader_lower <= leader_upper),
    CONSTRAINT ck_standing_leader_interval CHECK ((leader_lower IS NULL) = (leader_upper IS NULL)),
    CONSTRAINT fk_standing_evaluation_id FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE,
    CONSTRAINT fk_standing_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX ix_standing_submission_id ON standing (submission_id);

-- Views for the questions that people ask in SQL. The program reads none of them.

-- Of each task's latest load the evaluation that was added last, one with a certainty before one without
CREATE VIEW latest_evaluation AS
SELECT
    task.slug AS task,
    load.title,
    coalesce(load.official_metric, 'averaged_f1') AS ranking_metric,
    coalesce(load.official_prevalence, 'observed') AS ranking_prevalence,
    load.id AS load_id,
    evaluation.id AS evaluation_id,
    evaluation.evaluated_at,
    evaluation.options,
    evaluation.signature,
    evaluation.document
FROM task
JOIN load ON load.id = (SELECT max(id) FROM load WHERE task_id = task.id)
JOIN evaluation ON evaluation.id = (
    SELECT id FROM evaluation WHERE load_id = load.id ORDER BY json_extract(options, '$.certainty') DESC, id DESC LIMIT 1
);

-- Every score of every entry, with what the comparison by it says, where all pairs were compared by it
CREATE VIEW team_score AS
SELECT
    latest.task,
    entry.name,
    submission.team,
    submission.run,
    submission.role,
    score.metric,
    score.prevalence,
    CASE score.prevalence
        WHEN 'observed' THEN score.metric
        WHEN 'balanced' THEN score.metric || '~'
        ELSE score.metric || '@' || score.prevalence
    END AS score_name,
    score.value,
    CASE WHEN entry.competes AND score.value IS NOT NULL THEN score.rank END AS rank,
    coalesce(standing.leader_lower, score.lower) AS lower,
    coalesce(standing.leader_upper, score.upper) AS upper,
    score.mark,
    standing.could_be_best,
    standing.first_rank,
    standing.last_rank,
    standing.tier,
    latest.evaluation_id
FROM latest_evaluation AS latest
JOIN score ON score.evaluation_id = latest.evaluation_id
JOIN entry ON entry.evaluation_id = score.evaluation_id AND entry.submission_id = score.submission_id
JOIN submission ON submission.id = score.submission_id
LEFT JOIN standing
    ON standing.evaluation_id = score.evaluation_id
    AND standing.metric = score.metric
    AND standing.prevalence = score.prevalence
    AND standing.submission_id = score.submission_id;

-- The same of the official metric alone, or of averaged F1 where none is stated
CREATE VIEW ranking AS
SELECT team_score.*
FROM latest_evaluation AS latest
JOIN team_score
    ON team_score.evaluation_id = latest.evaluation_id
    AND team_score.metric = latest.ranking_metric
    AND team_score.prevalence = latest.ranking_prevalence;

-- Every score by which all pairs of entries were compared
CREATE VIEW comparison AS
SELECT
    latest.task,
    json_extract(latest.document, compared.fullkey || '.metric') AS score_name,
    json_extract(latest.document, compared.fullkey || '.leader') AS leader,
    json_array_length(latest.document, compared.fullkey || '.could_be_best') AS n_could_be_best,
    json_extract(latest.document, compared.fullkey || '.critical_value') AS critical_value,
    json_extract(latest.document, compared.fullkey || '.draws') AS draws,
    latest.evaluation_id
FROM latest_evaluation AS latest, json_each(latest.document, '$.certainty.comparisons') AS compared;

-- What the first place depends on, and whether the test set shows it
CREATE VIEW winner_change AS
SELECT
    latest.task,
    json_extract(change.value, '$.kind') AS kind,
    json_extract(change.value, '$.sides[0].metric') AS score_name,
    json_extract(change.value, '$.sides[0].first') AS first,
    json_extract(change.value, '$.sides[1].metric') AS other_score_name,
    json_extract(change.value, '$.sides[1].first') AS other_first,
    json_extract(change.value, '$.state') AS state,
    latest.evaluation_id
FROM latest_evaluation AS latest, json_each(latest.document, '$.certainty.changes') AS change;

-- The findings, most consequential first
CREATE VIEW flag AS
SELECT
    latest.task,
    found.key AS position,
    json_extract(found.value, '$.slug') AS slug,
    json_extract(found.value, '$.severity') AS severity,
    json_extract(found.value, '$.sentence') AS sentence,
    json_extract(found.value, '$.remedy') AS remedy,
    json_extract(found.value, '$.paper') AS paper,
    json_extract(found.value, '$.evidence') AS evidence,
    latest.evaluation_id
FROM latest_evaluation AS latest, json_each(latest.document, '$.flags') AS found;

-- Every score of the built-in baselines
CREATE VIEW baseline_score AS
SELECT
    latest.task,
    json_extract(baseline.value, '$.slug') AS slug,
    json_extract(baseline.value, '$.title') AS title,
    score.key AS score_name,
    score.value,
    latest.evaluation_id
FROM
    latest_evaluation AS latest,
    json_each(latest.document, '$.baselines') AS baseline,
    json_each(baseline.value, '$.scores') AS score;

-- The submissions that the store holds of each task now
CREATE VIEW current_submission AS
SELECT
    task.slug AS task,
    submission.team,
    submission.run,
    submission.role,
    submission.n_missing,
    submission.n_unusable,
    submission.n_missing + submission.n_unusable AS n_unanswered,
    submission.affiliation,
    submission.paper,
    submission.path,
    source_file.sha256,
    load.loaded_at,
    submission.position,
    submission.id AS submission_id
FROM submission
JOIN gold ON gold.id = submission.gold_id
JOIN task ON task.id = gold.task_id
JOIN load ON load.id = submission.loaded_in
LEFT JOIN source_file ON source_file.id = submission.source_file_id
WHERE submission.replaced_in IS NULL;

-- What each current submission answers to each item: a label, or why there is none
CREATE VIEW answer AS
SELECT
    coded.task,
    coded.team,
    coded.run,
    coded.item,
    coded.external_id,
    truth.name AS gold,
    given.name AS predicted,
    CASE WHEN given.name IS NULL THEN iif(coded.code = coded.n_labels, 'missing', 'unusable') END AS unanswered,
    coded.submission_id
FROM (
    SELECT
        packed.*,
        16 * instr('123456789ABCDEF', substr(digits, 1, 1)) + instr('123456789ABCDEF', substr(digits, 2, 1))
            + iif(
                length(digits) = 2,
                0,
                4096 * instr('123456789ABCDEF', substr(digits, 3, 1)) + 256 * instr('123456789ABCDEF', substr(digits, 4))
            ) AS code
    FROM (
        SELECT
            current_submission.*,
            gold.id AS gold_id,
            item.position AS item,
            item.external_id,
            item.code AS gold_code,
            (SELECT count(*) FROM label WHERE gold_id = gold.id) AS n_labels,
            hex(
                substr(
                    submission.codes,
                    1 + item.position * (length(submission.codes) / gold.n_items),
                    length(submission.codes) / gold.n_items
                )
            ) AS digits
        FROM current_submission
        JOIN submission ON submission.id = current_submission.submission_id
        JOIN gold ON gold.id = submission.gold_id
        JOIN item ON item.gold_id = gold.id
    ) AS packed
) AS coded
JOIN label AS truth ON truth.gold_id = coded.gold_id AND truth.code = coded.gold_code
LEFT JOIN label AS given ON given.gold_id = coded.gold_id AND given.code = coded.code;

-- Every load that changed something, and how many submissions it brought and ended
CREATE VIEW load_history AS
SELECT
    task.slug AS task,
    row_number() OVER (PARTITION BY load.task_id ORDER BY load.id) AS number,
    load.loaded_at,
    load.program_version,
    load.title,
    gold.n_items,
    (SELECT count(*) FROM submission WHERE loaded_in = load.id) AS n_brought,
    (SELECT count(*) FROM submission WHERE replaced_in = load.id) AS n_ended,
    (SELECT count(*) FROM evaluation WHERE load_id = load.id) AS n_evaluations,
    load.id AS load_id
FROM load
JOIN task ON task.id = load.task_id
JOIN gold ON gold.id = load.gold_id;

-- Every version of every submission, from the load that brought it to the load that ended it
CREATE VIEW submission_history AS
SELECT
    task.slug AS task,
    submission.team,
    submission.run,
    submission.role,
    submission.path,
    source_file.sha256,
    loaded.loaded_at,
    replaced.loaded_at AS replaced_at,
    submission.id AS submission_id
FROM submission
JOIN gold ON gold.id = submission.gold_id
JOIN task ON task.id = gold.task_id
JOIN load AS loaded ON loaded.id = submission.loaded_in
LEFT JOIN load AS replaced ON replaced.id = submission.replaced_in
LEFT JOIN source_file ON source_file.id = submission.source_file_id;
