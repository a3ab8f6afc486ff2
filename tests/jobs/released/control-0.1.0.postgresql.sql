SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION '% is kept as it is', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TABLE public.api_token (
    id text NOT NULL,
    digest text NOT NULL,
    person text NOT NULL,
    campaign text,
    role text NOT NULL,
    label text NOT NULL,
    created_at text NOT NULL,
    expires_at text NOT NULL,
    revoked_at text
);
CREATE TABLE public.campaign (
    id text NOT NULL,
    title text NOT NULL,
    created_at text NOT NULL,
    removed_at text,
    head bigint NOT NULL
);
CREATE TABLE public.event (
    number integer NOT NULL,
    campaign text,
    person text,
    at text NOT NULL,
    act text NOT NULL,
    detail text NOT NULL
);
CREATE SEQUENCE public.event_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.event_number_seq OWNED BY public.event.number;
CREATE TABLE public.hosting_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.invitation (
    id text NOT NULL,
    digest text NOT NULL,
    campaign text,
    role text,
    made_by text NOT NULL,
    made_at text NOT NULL,
    expires_at text NOT NULL,
    used_at text,
    revoked_at text
);
CREATE TABLE public.job (
    number integer NOT NULL,
    campaign text NOT NULL,
    person text NOT NULL,
    kind text NOT NULL,
    arguments text NOT NULL,
    state text NOT NULL,
    attempt bigint NOT NULL,
    lost bigint NOT NULL,
    beat bigint NOT NULL,
    cancel integer NOT NULL,
    worker text,
    step text,
    done bigint NOT NULL,
    total bigint NOT NULL,
    outcome text,
    queued_at text NOT NULL,
    started_at text,
    ended_at text,
    CONSTRAINT job_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE SEQUENCE public.job_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.job_number_seq OWNED BY public.job.number;
CREATE TABLE public.membership (
    campaign text NOT NULL,
    person text NOT NULL,
    role text NOT NULL,
    since text NOT NULL
);
CREATE TABLE public.person (
    id text NOT NULL,
    name text NOT NULL,
    sign_in_name text,
    password text,
    is_host integer NOT NULL,
    may_begin integer NOT NULL,
    created_at text NOT NULL,
    erased_at text
);
CREATE TABLE public.release (
    campaign text NOT NULL,
    number integer NOT NULL,
    revision bigint NOT NULL,
    job integer NOT NULL,
    folder text NOT NULL,
    signatures text NOT NULL,
    summary text NOT NULL,
    made_at text NOT NULL,
    published_at text,
    published_by text
);
CREATE TABLE public.release_part (
    campaign text NOT NULL,
    release integer NOT NULL,
    kind text NOT NULL,
    folder text NOT NULL
);
CREATE TABLE public.revision (
    campaign text NOT NULL,
    number integer NOT NULL,
    person text NOT NULL,
    made_at text NOT NULL,
    note text NOT NULL,
    change text NOT NULL,
    files text,
    findings text
);
CREATE TABLE public.service (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.session (
    digest text NOT NULL,
    person text NOT NULL,
    created_at text NOT NULL,
    expires_at text NOT NULL
);
CREATE TABLE public.share_link (
    id text NOT NULL,
    digest text NOT NULL,
    campaign text NOT NULL,
    release bigint NOT NULL,
    anonymous integer NOT NULL,
    made_by text NOT NULL,
    made_at text NOT NULL,
    expires_at text NOT NULL,
    revoked_at text
);
CREATE TABLE public.upload (
    id text NOT NULL,
    campaign text NOT NULL,
    person text NOT NULL,
    path text NOT NULL,
    size bigint NOT NULL,
    sha256 text NOT NULL,
    received_at text NOT NULL
);
ALTER TABLE ONLY public.event ALTER COLUMN number SET DEFAULT nextval('public.event_number_seq'::regclass);
ALTER TABLE ONLY public.job ALTER COLUMN number SET DEFAULT nextval('public.job_number_seq'::regclass);
INSERT INTO public.api_token VALUES ('c022c3b6c5b351ba', '6cddb65295e98e63b29b723ddc7c9b631a9619a164318df3bc45a681e9ff308f', '0b006f2147baee22', NULL, 'organiser', 'nightly', '2026-11-28T11:23:24.918868+00:00', '2027-05-27T11:23:24.918875+00:00', NULL);
INSERT INTO public.campaign VALUES ('7a5408631dab417d', 'Small', '2026-11-28T11:23:11.182076+00:00', NULL, 1);
INSERT INTO public.event VALUES (1, NULL, '0b006f2147baee22', '2026-11-28T11:23:11.029548+00:00', 'began the service', '{}');
INSERT INTO public.event VALUES (2, NULL, '0b006f2147baee22', '2026-11-28T11:23:11.134047+00:00', 'set name and password', '{}');
INSERT INTO public.event VALUES (3, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:11.183921+00:00', 'began the campaign', '{"title": "Small"}');
INSERT INTO public.event VALUES (4, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:11.193752+00:00', 'uploaded a file', '{"path": "small.zip", "sha256": "a6bc7de1df177c6b4e1c2cb030edf29c26ce0d4312ee515d2de9b4ae92cea71c", "size": 1704}');
INSERT INTO public.event VALUES (5, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:11.202073+00:00', 'changed files', '{"revision": 1, "note": "small.zip added"}');
INSERT INTO public.event VALUES (6, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:11.205170+00:00', 'asked for a job', '{"job": 1, "kind": "read"}');
INSERT INTO public.event VALUES (7, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:13.395063+00:00', 'asked for a job', '{"job": 2, "kind": "evaluate"}');
INSERT INTO public.event VALUES (8, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:17.732391+00:00', 'evaluated', '{"release": 1, "revision": 1}');
INSERT INTO public.event VALUES (9, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:17.734558+00:00', 'asked for a job', '{"job": 3, "kind": "export"}');
INSERT INTO public.event VALUES (10, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:24.901366+00:00', 'published', '{"release": 1}');
INSERT INTO public.event VALUES (11, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:24.909568+00:00', 'made a link', '{"release": 1, "anonymous": false, "link": "1081f272f69abe17"}');
INSERT INTO public.event VALUES (12, '7a5408631dab417d', '0b006f2147baee22', '2026-11-28T11:23:24.915462+00:00', 'invited somebody', '{"invitation": "ef8018f0f8d1a5a5", "role": "reader"}');
INSERT INTO public.event VALUES (13, NULL, '0b006f2147baee22', '2026-11-28T11:23:24.919774+00:00', 'made a token', '{"label": "nightly", "role": "organiser"}');
INSERT INTO public.hosting_version VALUES ('h0001');
INSERT INTO public.invitation VALUES ('ef8018f0f8d1a5a5', '47590e90c6defcf11fe23140a34f23e8f97251c17a306c9dc2eca43b097d8009', '7a5408631dab417d', 'reader', '0b006f2147baee22', '2026-11-28T11:23:24.914717+00:00', '2026-12-05T11:23:24.914725+00:00', NULL, NULL);
INSERT INTO public.job VALUES (1, '7a5408631dab417d', '0b006f2147baee22', 'read', '{"revision": 1}', 'done', 1, 0, 8, 0, 'vm:18798, worker 1', 'reading', 3, 3, '{}', '2026-11-28T11:23:11.204316+00:00', '2026-11-28T11:23:11.431007+00:00', '2026-11-28T11:23:13.379201+00:00');
INSERT INTO public.job VALUES (2, '7a5408631dab417d', '0b006f2147baee22', 'evaluate', '{"revision": 1, "skip_rejected": false}', 'done', 1, 0, 17, 0, 'vm:18798, worker 2', 'writing', 1, 1, '{"signatures": {"small": "official:none|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|replicates:0|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 is first by averaged F1 (.800). 2 others could be best, too.", "more": "team2 is .067 ahead of team1. To find a true difference of that size 80% of the time takes about 590 items for this pair alone, about 766 items among all pairs; the test set has 30 items. No official metric is stated: the ranking is by averaged F1 until one is.", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too", "reason": "", "sentence": "Macro F1 formula: the same, not shown: team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 by each of 8 other metrics (scores of single classes left out)", "reason": "", "sentence": "Metric: the same, not shown: team2 by each of 8 other metrics (scores of single classes left out)."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too", "reason": "", "sentence": "Class distribution: the same, not shown: team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: the same, not shown: team2 with scores rounded to 3 decimals, too."}], "to_do": [{"about": "no-official-metric", "text": "State the metric that was announced: official_metric = \"\u2026\" in task.toml."}, {"about": "rare-class", "text": "Say how few items \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10) have."}, {"about": "wording", "text": "Write averaged F1, not macro F1."}]}, "entries": ["team2", "team1", "team0"], "metric": "averaged_f1", "findings": [{"slug": "no-official-metric", "level": 3, "says": "No official metric is stated; the ranking is shown by averaged F1."}, {"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "report": "small.html", "document": "small.json"}], "summary": null, "rejected": []}', '2026-11-28T11:23:13.394619+00:00', '2026-11-28T11:23:13.462264+00:00', '2026-11-28T11:23:17.728661+00:00');
INSERT INTO public.job VALUES (3, '7a5408631dab417d', '0b006f2147baee22', 'export', '{"release": 1}', 'done', 1, 0, 28, 0, 'vm:18798, worker 2', 'drawing', 9, 9, '{}', '2026-11-28T11:23:17.734085+00:00', '2026-11-28T11:23:17.740470+00:00', '2026-11-28T11:23:24.740487+00:00');
INSERT INTO public.membership VALUES ('7a5408631dab417d', '0b006f2147baee22', 'owner', '2026-11-28T11:23:11.182076+00:00');
INSERT INTO public.person VALUES ('0b006f2147baee22', 'Ada', 'ada', '$argon2id$v=19$m=65536,t=3,p=4$6pceQvHqXnjhdW+ByZzizA$Slh96z16KuH+Ad4y6NIM6X3eizF9vmpYeK2WAxv0FVw', 1, 1, '2026-11-28T11:23:11.028840+00:00', NULL);
INSERT INTO public.release VALUES ('7a5408631dab417d', 1, 1, 2, '2-1', '{"small": "official:none|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|replicates:0|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}', '{"signatures": {"small": "official:none|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|replicates:0|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 is first by averaged F1 (.800). 2 others could be best, too.", "more": "team2 is .067 ahead of team1. To find a true difference of that size 80% of the time takes about 590 items for this pair alone, about 766 items among all pairs; the test set has 30 items. No official metric is stated: the ranking is by averaged F1 until one is.", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too", "reason": "", "sentence": "Macro F1 formula: the same, not shown: team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 by each of 8 other metrics (scores of single classes left out)", "reason": "", "sentence": "Metric: the same, not shown: team2 by each of 8 other metrics (scores of single classes left out)."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too", "reason": "", "sentence": "Class distribution: the same, not shown: team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: the same, not shown: team2 with scores rounded to 3 decimals, too."}], "to_do": [{"about": "no-official-metric", "text": "State the metric that was announced: official_metric = \"\u2026\" in task.toml."}, {"about": "rare-class", "text": "Say how few items \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10) have."}, {"about": "wording", "text": "Write averaged F1, not macro F1."}]}, "entries": ["team2", "team1", "team0"], "metric": "averaged_f1", "findings": [{"slug": "no-official-metric", "level": 3, "says": "No official metric is stated; the ranking is shown by averaged F1."}, {"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "report": "small.html", "document": "small.json"}], "summary": null, "rejected": []}', '2026-11-28T11:23:17.731283+00:00', '2026-11-28T11:23:24.900626+00:00', '0b006f2147baee22');
INSERT INTO public.release_part VALUES ('7a5408631dab417d', 1, 'export', '3-1');
INSERT INTO public.revision VALUES ('7a5408631dab417d', 1, '0b006f2147baee22', '2026-11-28T11:23:11.201251+00:00', 'small.zip added', '{"added": {"small.zip": {"sha256": "a6bc7de1df177c6b4e1c2cb030edf29c26ce0d4312ee515d2de9b4ae92cea71c", "size": 1704}}, "removed": [], "unpack": true}', '{"gold.csv": {"sha256": "b5e6ad7a488b7d64b1a748f2c1ad1aa1db57b36fe0a5a076aeb0a89549aca128", "size": 269}, "submissions/team0.csv": {"sha256": "dd1ce3d5c2894226a6453ebd3bef59798f0467588f57ac60ffb37b8a2f7f6fbe", "size": 319}, "submissions/team1.csv": {"sha256": "9b662e0d75e781b5b97b4155fd81db3a9ae6860c8870981f753e03aee4f3edcc", "size": 270}, "submissions/team2.csv": {"sha256": "9a5578c0f8f4ae36cbac2c4f20c60fab459f7f77d1cb132f103e868acf954414", "size": 269}, "task.toml": {"sha256": "9f5844315a5ffd9d51b6f454f4fe6876af4d7308381ba1215889c8670b2af421", "size": 15}}', '{"settings": "slug = \"small\"\n", "issues": [], "tasks": [{"slug": "small", "title": "Small", "part": null, "note": "", "official_metric": null, "assumptions": ["task.toml states no title: the title is the folder''s name.", "The label set is taken from gold, in sorted order: \u201cno\u201d, \u201cperhaps\u201d and \u201cyes\u201d.", "No official metric is stated.", "gold.csv: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "3 submissions: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels."], "policies": {"missing": "wrong", "unusable": "wrong", "extra": "reject", "duplicates": "reject", "runs": "all", "baselines": "beside", "skipped": "left-out", "gold_copy": "refuse", "chosen": []}, "metrics": [{"slug": "accuracy", "label": "Accuracy"}, {"slug": "macro_recall", "label": "Macro recall"}, {"slug": "geometric_macro_recall", "label": "G-macro recall"}, {"slug": "harmonic_macro_recall", "label": "H-macro recall"}, {"slug": "macro_precision", "label": "Macro precision"}, {"slug": "averaged_f1", "label": "Macro F1 (averaged F1)"}, {"slug": "f1_of_averages", "label": "Macro F1\u2032 (F1 of averages)"}, {"slug": "weighted_f1", "label": "Weighted F1"}, {"slug": "kappa", "label": "Cohen\u2019s kappa"}, {"slug": "mcc", "label": "MCC"}], "labels": [{"label": "no", "name": "no", "items": 10}, {"label": "perhaps", "name": "perhaps", "items": 10}, {"label": "yes", "name": "yes", "items": 10}], "gold": {"file": "gold.csv", "items": 30}, "submissions": [{"file": "submissions/team0.csv", "team": "team0", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team1.csv", "team": "team1", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team2.csv", "team": "team2", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}], "rejected": [], "causes": [], "journal": [{"action": "read", "subject": "gold.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team0.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team1.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team2.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}]}], "is_usable": true, "files": [{"file": "gold.csv", "kind": "gold", "role": "", "team": "", "run": "", "part": "", "why": "", "is_open": false}, {"file": "submissions/team0.csv", "kind": "submission", "role": "primary", "team": "team0", "run": "", "part": "", "why": "", "is_open": false}, {"file": "submissions/team1.csv", "kind": "submission", "role": "primary", "team": "team1", "run": "", "part": "", "why": "", "is_open": false}, {"file": "submissions/team2.csv", "kind": "submission", "role": "primary", "team": "team2", "run": "", "part": "", "why": "", "is_open": false}], "draft": null, "allowed": {"policies": [{"slug": "missing", "title": "Missing items", "values": {"wrong": "count as unanswered: wrong by every metric", "drop": "left out of that submission\u2019s scores, which are then of fewer items: marked, and not compared", "reject": "reject the submission"}}, {"slug": "unusable", "title": "Labels outside the label set", "values": {"wrong": "count as unanswered: wrong by every metric", "reject": "reject the submission"}}, {"slug": "extra", "title": "Items that gold lacks", "values": {"reject": "reject the submission", "ignore": "are left out, and counted; without ids, those behind the last item"}}, {"slug": "duplicates", "title": "Items answered twice", "values": {"reject": "reject the submission", "first": "the first answer counts", "last": "the last answer counts"}}, {"slug": "runs", "title": "Several runs of a team", "values": {"all": "every run is a row, and a team\u2019s runs with the same answers are one; beside a team\u2019s primary run, contrastive ones take no rank", "primary": "the primary run counts, or the last by name where none or several are primary", "last": "the run that is last by name counts", "best": "the best run by the official metric counts, which favours teams with many runs"}}, {"slug": "baselines", "title": "Baselines", "values": {"beside": "beside the teams, from whom they take no rank", "ranked": "ranked like teams: the first place is still among the teams"}}, {"slug": "skipped", "title": "A test set that a team skipped", "values": {"left-out": "the team has no overall rank, and its means are over the test sets it took part in", "last": "the team shares the last rank there; it has no mean score"}}, {"slug": "gold_copy", "title": "A submission that equals gold", "values": {"refuse": "is refused where its columns, items and labels are the gold file\u2019s; where only its labels are, the verdict asks whether it is a copy", "accept": "is a submission like any other"}}]}}');
INSERT INTO public.service VALUES ('mark', '33d08e68ca3cf9ad');
INSERT INTO public.service VALUES ('folder', '68081cb14ec60276');
INSERT INTO public.session VALUES ('c56156b21566f0a9d47790210ac437e135924cc1bca55424ae2d0e54d495d096', '0b006f2147baee22', '2026-11-28T11:23:11.135807+00:00', '2026-12-12T11:23:11.135827+00:00');
INSERT INTO public.share_link VALUES ('1081f272f69abe17', '1ad494356e07d1787d3c62b312383d13f28e8cb29f4619ecd72009f0c1ae1143', '7a5408631dab417d', 1, 0, '0b006f2147baee22', '2026-11-28T11:23:24.908541+00:00', '2027-11-28T11:23:24.908550+00:00', NULL);
INSERT INTO public.upload VALUES ('97e86081b93095d3', '7a5408631dab417d', '0b006f2147baee22', 'small.zip', 1704, 'a6bc7de1df177c6b4e1c2cb030edf29c26ce0d4312ee515d2de9b4ae92cea71c', '2026-11-28T11:23:11.192783+00:00');
SELECT pg_catalog.setval('public.event_number_seq', 13, true);
SELECT pg_catalog.setval('public.job_number_seq', 3, true);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.campaign
    ADD CONSTRAINT campaign_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.hosting_version
    ADD CONSTRAINT hosting_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (campaign, person);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_sign_in_name_key UNIQUE (sign_in_name);
ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_job_key UNIQUE (job);
ALTER TABLE ONLY public.release_part
    ADD CONSTRAINT release_part_pkey PRIMARY KEY (campaign, release, kind);
ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_pkey PRIMARY KEY (campaign, number);
ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_pkey PRIMARY KEY (campaign, number);
ALTER TABLE ONLY public.service
    ADD CONSTRAINT service_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.share_link
    ADD CONSTRAINT share_link_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.share_link
    ADD CONSTRAINT share_link_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT upload_pkey PRIMARY KEY (id);
CREATE INDEX event_of_campaign ON public.event USING btree (campaign, number);
CREATE INDEX job_of_state ON public.job USING btree (state, number);
CREATE UNIQUE INDEX one_running_job_of_a_campaign ON public.job USING btree (campaign, ((kind = ANY (ARRAY['anonymise'::text, 'export'::text])))) WHERE (state = 'running'::text);
CREATE TRIGGER event_is_kept BEFORE TRUNCATE ON public.event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER event_is_kept_0 BEFORE UPDATE ON public.event FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER event_is_kept_1 BEFORE DELETE ON public.event FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER release_is_kept BEFORE TRUNCATE ON public.release FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER release_is_kept_0 BEFORE DELETE ON public.release FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER release_is_kept_1 BEFORE UPDATE OF campaign, number, revision, job, folder, signatures, summary, made_at ON public.release FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER release_is_kept_2 BEFORE UPDATE OF published_at, published_by ON public.release FOR EACH ROW WHEN ((old.published_at IS NOT NULL)) EXECUTE FUNCTION public.refuse_change();
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT api_token_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_job_fkey FOREIGN KEY (job) REFERENCES public.job(number);
ALTER TABLE ONLY public.release_part
    ADD CONSTRAINT release_part_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.release
    ADD CONSTRAINT release_published_by_fkey FOREIGN KEY (published_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.share_link
    ADD CONSTRAINT share_link_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.share_link
    ADD CONSTRAINT share_link_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT upload_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT upload_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
