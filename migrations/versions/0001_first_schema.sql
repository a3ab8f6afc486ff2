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
    labels TEXT NOT NULL,
    unit TEXT,
    stratified BOOLEAN NOT NULL CONSTRAINT ck_gold_stratified CHECK (stratified IN (0, 1)),
    slices TEXT NOT NULL,
    slice_codes BLOB NOT NULL,
    own BLOB,
    numbers BLOB,
    weights BLOB,
    CONSTRAINT pk_gold PRIMARY KEY (id),
    CONSTRAINT uq_gold_task_id_digest UNIQUE (task_id, digest),
    CONSTRAINT ck_gold_digest CHECK (length(digest) = 64),
    CONSTRAINT ck_gold_n_items CHECK (n_items >= 1),
    CONSTRAINT fk_gold_task_id FOREIGN KEY(task_id) REFERENCES task (id) ON DELETE CASCADE
);

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

CREATE TABLE load (
    id INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    gold_id INTEGER NOT NULL,
    loaded_at TEXT NOT NULL,
    program_version TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    words_digest TEXT NOT NULL,
    settings TEXT NOT NULL,
    journal TEXT NOT NULL,
    rejections TEXT NOT NULL,
    ignored TEXT NOT NULL,
    published TEXT,
    CONSTRAINT pk_load PRIMARY KEY (id),
    CONSTRAINT ck_load_fingerprint CHECK (length(fingerprint) = 64),
    CONSTRAINT ck_load_words_digest CHECK (length(words_digest) = 64),
    CONSTRAINT fk_load_task_id FOREIGN KEY(task_id) REFERENCES task (id) ON DELETE CASCADE,
    CONSTRAINT fk_load_gold_id FOREIGN KEY(gold_id) REFERENCES gold (id) ON DELETE NO ACTION
);

CREATE INDEX ix_load_gold_id ON load (gold_id);

CREATE INDEX ix_load_task_id ON load (task_id);

CREATE TABLE load_file (
    load_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    source_file_id INTEGER NOT NULL,
    CONSTRAINT pk_load_file PRIMARY KEY (load_id, kind, path),
    CONSTRAINT ck_load_file_kind CHECK (kind IN ('gold', 'groups', 'label-names', 'roster', 'settings', 'published', 'scores')),
    CONSTRAINT fk_load_file_load_id FOREIGN KEY(load_id) REFERENCES load (id) ON DELETE CASCADE,
    CONSTRAINT fk_load_file_source_file_id FOREIGN KEY(source_file_id) REFERENCES source_file (id) ON DELETE NO ACTION
) WITHOUT ROWID;

CREATE INDEX ix_load_file_source_file_id ON load_file (source_file_id);

CREATE UNIQUE INDEX uq_load_file_kind ON load_file (load_id, kind) WHERE (kind NOT IN ('published', 'scores'));

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
    unusable_labels TEXT NOT NULL,
    issues TEXT NOT NULL,
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

-- Views for the questions that people ask in SQL. The program reads none of them.

-- Of each task's latest load the evaluation that was added last, one with a certainty before one without
CREATE VIEW latest_evaluation AS
SELECT
    task.slug AS task,
    json_extract(load.settings, '$.title') AS title,
    coalesce(json_extract(load.settings, '$.official_metric.metric'), 'averaged_f1') AS ranking_metric,
    coalesce(json_extract(load.settings, '$.official_metric.prevalence'), 'observed') AS ranking_prevalence,
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

-- Every score of every entry, with what the comparison by it says, where all pairs were compared by it. The document has
-- these in several places, each under score and entry: each place is read once, and what is of one score and entry is
-- grouped. To look each one up would read the document again for every row. A leader's interval is the corrected one.
CREATE VIEW team_score AS
WITH
stated AS (
    SELECT
        latest.evaluation_id,
        part.key AS part,
        scored.key AS score_name,
        stated.key AS name,
        stated.value AS content
    FROM
        latest_evaluation AS latest,
        json_each(
            '{"score": "$.scores", "rank": "$.ranks",
              "interval": "$.certainty.intervals.scores", "mark": "$.certainty.intervals.marks"}'
        ) AS part,
        json_each(latest.document, part.value) AS scored,
        json_each(scored.value) AS stated
    UNION ALL
    SELECT
        latest.evaluation_id,
        part.value,
        json_extract(compared.value, '$.metric'),
        iif(part.value = 'could_be_best', stated.value, stated.key),
        stated.value
    FROM
        latest_evaluation AS latest,
        json_each(latest.document, '$.certainty.comparisons') AS compared,
        json_each('["could_be_best", "possible_ranks", "corrected_intervals"]') AS part,
        json_each(compared.value, '$.' || part.value) AS stated
),
score AS (
    SELECT
        evaluation_id,
        score_name,
        name,
        substr(score_name, 1 + length(rtrim(score_name, replace(score_name, '@', '')))) AS behind_at,
        max(content) FILTER (WHERE part = 'score') AS value,
        max(content) FILTER (WHERE part = 'rank') AS rank,
        max(content) FILTER (WHERE part = 'interval') AS interval,
        max(content) FILTER (WHERE part = 'corrected_intervals') AS corrected_interval,
        max(content) FILTER (WHERE part = 'mark') AS mark,
        max(content) FILTER (WHERE part = 'possible_ranks') AS ranks,
        count(*) FILTER (WHERE part = 'could_be_best') AS is_contender
    FROM stated
    GROUP BY evaluation_id, score_name, name
),
entry AS (
    SELECT
        latest.evaluation_id,
        json_extract(ranked.value, '$.name') AS name,
        json_extract(ranked.value, '$.team') AS team,
        json_extract(ranked.value, '$.run') AS run,
        json_extract(ranked.value, '$.role') AS role,
        instr(ranked.value, '\ud') = 0 AS is_text -- a lone surrogate, of a file name that is no UTF-8
    FROM latest_evaluation AS latest, json_each(latest.document, '$.entries') AS ranked
),
named AS (
    SELECT
        score.*,
        CASE
            WHEN substr(score_name, -1) = '~' THEN 'balanced'
            WHEN behind_at = score_name OR behind_at GLOB '*[])"]*' THEN 'observed'
            ELSE behind_at
        END AS prevalence
    FROM score
)
SELECT
    latest.task,
    iif(is_text, named.name, CAST(named.name AS BLOB)) AS name,
    iif(is_text, entry.team, CAST(entry.team AS BLOB)) AS team,
    iif(is_text, entry.run, CAST(entry.run AS BLOB)) AS run,
    entry.role,
    CASE prevalence
        WHEN 'observed' THEN score_name
        WHEN 'balanced' THEN substr(score_name, 1, length(score_name) - 1)
        ELSE substr(score_name, 1, length(score_name) - length(prevalence) - 1)
    END AS metric,
    named.prevalence,
    named.score_name,
    named.value,
    named.rank,
    json_extract(coalesce(corrected_interval, interval), '$[0]') AS lower,
    json_extract(coalesce(corrected_interval, interval), '$[1]') AS upper,
    iif(json_extract(interval, '$[0]') IS NULL, mark, NULL) AS mark,
    iif(ranks IS NULL, NULL, is_contender) AS could_be_best,
    json_extract(ranks, '$[0]') AS first_rank,
    json_extract(ranks, '$[1]') AS last_rank,
    latest.evaluation_id
FROM latest_evaluation AS latest
CROSS JOIN entry ON entry.evaluation_id = latest.evaluation_id
CROSS JOIN named ON named.evaluation_id = latest.evaluation_id AND named.name = entry.name;

-- The same of the official metric alone, or of macro-averaged F1 where none is stated
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

-- What each current submission answers to each item: a label, or why there is none. Numbers are in submission.scores
CREATE VIEW answer AS
WITH label AS (
    SELECT gold.id AS gold_id, CAST(listed.key AS INTEGER) AS code, listed.value AS name
    FROM gold, json_each(gold.labels) AS listed
)
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
        CASE
            WHEN lacks >> (3 - item % 4) & 1 THEN n_labels
            WHEN has >> (3 - item % 4) & 1 = 0 THEN n_labels - 1
            ELSE
                16 * instr('123456789ABCDEF', substr(digits, 1, 1)) + instr('123456789ABCDEF', substr(digits, 2, 1))
                + iif(
                    length(digits) = 2,
                    0,
                    4096 * instr('123456789ABCDEF', substr(digits, 3, 1))
                    + 256 * instr('123456789ABCDEF', substr(digits, 4))
                )
        END AS code
    FROM (
        SELECT
            split.*,
            hex(substr(coded, 1 + item * (length(coded) / n_items), length(coded) / n_items)) AS digits,
            instr(
                '123456789ABCDEF', nullif(substr(hex(substr(bits, 1 + item / 8, 1)), 1 + item % 8 / 4, 1), '')
            ) AS has,
            instr(
                '123456789ABCDEF',
                nullif(substr(hex(substr(bits, 1 + (n_items + 7) / 8 + item / 8, 1)), 1 + item % 8 / 4, 1), '')
            ) AS lacks
        FROM (
            SELECT
                current_submission.*,
                gold.id AS gold_id,
                gold.n_items,
                item.position AS item,
                item.external_id,
                item.code AS gold_code,
                json_array_length(gold.labels) AS n_labels,
                coalesce(gold.own, submission.codes) AS coded,
                iif(gold.own IS NULL, NULL, submission.codes) AS bits
            FROM current_submission
            JOIN submission ON submission.id = current_submission.submission_id
            JOIN gold ON gold.id = submission.gold_id
            JOIN item ON item.gold_id = gold.id
            JOIN load ON load.id = submission.loaded_in
            WHERE json_extract(load.settings, '$.label_set.kind') NOT IN ('scores', 'ratings')
        ) AS split
    ) AS packed
) AS coded
CROSS JOIN label AS truth ON truth.gold_id = coded.gold_id AND truth.code = coded.gold_code
LEFT JOIN label AS given ON given.gold_id = coded.gold_id AND given.code = coded.code;

-- Every load that changed something, and how many submissions it brought and ended
CREATE VIEW load_history AS
SELECT
    task.slug AS task,
    row_number() OVER (PARTITION BY load.task_id ORDER BY load.id) AS number,
    load.loaded_at,
    load.program_version,
    json_extract(load.settings, '$.title') AS title,
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
