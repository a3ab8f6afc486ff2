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
    expires_at text NOT NULL,
    client text,
    by_link integer DEFAULT 0 NOT NULL
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
CREATE TABLE public.sign_in_link (
    digest text NOT NULL,
    person text NOT NULL,
    made_at text NOT NULL,
    expires_at text NOT NULL,
    used_at text
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
CREATE TABLE public.withdrawal (
    campaign text NOT NULL,
    release integer NOT NULL,
    person text NOT NULL,
    at text NOT NULL,
    reason text NOT NULL
);
ALTER TABLE ONLY public.event ALTER COLUMN number SET DEFAULT nextval('public.event_number_seq'::regclass);
ALTER TABLE ONLY public.job ALTER COLUMN number SET DEFAULT nextval('public.job_number_seq'::regclass);
INSERT INTO public.api_token VALUES ('c73fc58b752f8e0c', '2c9781e1f12523df78ad2923682af416f1e7934d751371f94b507cf996b7ecdb', '4bfe4208cde6030e', NULL, 'organiser', 'nightly', '2026-11-28T16:26:28.970931+00:00', '2027-05-27T16:26:28.970954+00:00', NULL);
INSERT INTO public.campaign VALUES ('7109bd2514b9fd67', 'Small', '2026-11-28T16:25:58.395955+00:00', NULL, 1);
INSERT INTO public.event VALUES (1, NULL, '4bfe4208cde6030e', '2026-11-28T16:25:57.782049+00:00', 'began the service', '{}');
INSERT INTO public.event VALUES (2, NULL, '4bfe4208cde6030e', '2026-11-28T16:25:58.166069+00:00', 'set name and password', '{}');
INSERT INTO public.event VALUES (3, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:25:58.399417+00:00', 'began the campaign', '{"title": "Small"}');
INSERT INTO public.event VALUES (4, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:25:58.439251+00:00', 'uploaded a file', '{"path": "small.zip", "sha256": "e7486eda6db5d101002d3a1cad9ab31072d5fcdb239a19aa5be8df764ef07e4e", "size": 1733}');
INSERT INTO public.event VALUES (5, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:25:58.460734+00:00', 'changed files', '{"revision": 1, "note": "small.zip added"}');
INSERT INTO public.event VALUES (6, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:25:58.468462+00:00', 'asked for a job', '{"job": 1, "kind": "read", "revision": 1}');
INSERT INTO public.event VALUES (7, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:04.457005+00:00', 'said what counts', '{"official": ["accuracy"]}');
INSERT INTO public.event VALUES (8, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:04.473790+00:00', 'asked for a job', '{"job": 2, "kind": "evaluate", "revision": 1}');
INSERT INTO public.event VALUES (9, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:12.606035+00:00', 'evaluated', '{"release": 1, "revision": 1}');
INSERT INTO public.event VALUES (10, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:12.620441+00:00', 'asked for a job', '{"job": 3, "kind": "export", "release": 1}');
INSERT INTO public.event VALUES (11, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:28.865058+00:00', 'published', '{"release": 1}');
INSERT INTO public.event VALUES (12, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:28.922936+00:00', 'made a link', '{"release": 1, "anonymous": false, "link": "6268179a127ad848"}');
INSERT INTO public.event VALUES (13, '7109bd2514b9fd67', '4bfe4208cde6030e', '2026-11-28T16:26:28.949415+00:00', 'invited somebody', '{"invitation": "6bb0c7ab9666f877", "role": "reader"}');
INSERT INTO public.event VALUES (14, NULL, '4bfe4208cde6030e', '2026-11-28T16:26:28.973100+00:00', 'made a token', '{"label": "nightly", "role": "organiser"}');
INSERT INTO public.hosting_version VALUES ('h0002');
INSERT INTO public.invitation VALUES ('6bb0c7ab9666f877', '16d0996cb84fc6b3a641ebc1f5242752a7b258ebfe12b70ac244bbf47ccc3b99', '7109bd2514b9fd67', 'reader', '4bfe4208cde6030e', '2026-11-28T16:26:28.947344+00:00', '2026-12-05T16:26:28.947369+00:00', NULL, NULL);
INSERT INTO public.job VALUES (2, '7109bd2514b9fd67', '4bfe4208cde6030e', 'evaluate', '{"revision": 1, "skip_rejected": false}', 'done', 1, 0, 31, 0, 'vm:5258, worker 2', 'writing', 1, 1, '{"signatures": {"small": "official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 ranks first with an accuracy of .800, but its lead is not statistically significant.", "more": "The lead over team1, in second place, is .067 (95% CI \u2212.181 to .314, adjusted p = .77). Two other teams may be equally good or better (95% confidence set for the best team).", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 wins under F1 of averages, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Macro F1, if it ranked: same winner, not significant: team2 wins under F1 of averages, too; 2 other teams may be equally good or better there."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 wins under each of nine other metrics, too", "reason": "", "sentence": "Metric: same winner, not significant: team2 wins under each of nine other metrics, too."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Class distribution: same winner, not significant: team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 wins with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: same winner, not significant: team2 wins with scores rounded to 3 decimals, too."}], "to_do": [{"about": "rare-class", "text": "Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."}]}, "entries": ["team2", "team1", "team0"], "metric": "accuracy", "findings": [{"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "to_do": ["Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."], "report": "small.html", "readers": "~readers-small.html", "document": "small.json", "readers_document": "~readers-small.json"}], "summary": null, "rejected": []}', '2026-11-28T16:26:04.472309+00:00', '2026-11-28T16:26:04.677001+00:00', '2026-11-28T16:26:12.592149+00:00');
INSERT INTO public.job VALUES (3, '7109bd2514b9fd67', '4bfe4208cde6030e', 'export', '{"release": 1}', 'done', 1, 0, 61, 0, 'vm:5258, worker 2', 'drawing', 7, 7, '{}', '2026-11-28T16:26:12.618600+00:00', '2026-11-28T16:26:12.659033+00:00', '2026-11-28T16:26:28.729409+00:00');
INSERT INTO public.job VALUES (1, '7109bd2514b9fd67', '4bfe4208cde6030e', 'read', '{"revision": 1}', 'done', 1, 0, 21, 0, 'vm:5258, worker 1', 'reading', 3, 3, '{}', '2026-11-28T16:25:58.466326+00:00', '2026-11-28T16:25:58.856376+00:00', '2026-11-28T16:26:04.359050+00:00');
INSERT INTO public.membership VALUES ('7109bd2514b9fd67', '4bfe4208cde6030e', 'owner', '2026-11-28T16:25:58.395955+00:00');
INSERT INTO public.person VALUES ('4bfe4208cde6030e', 'Ada', 'ada', '$argon2id$v=19$m=65536,t=3,p=4$HPf9KT+YF255kCouNWEJqw$S8vmCSXl64Ce6iINCw7Es0F0PJ/504Qpnhed9HTUois', 1, 1, '2026-11-28T16:25:57.775245+00:00', NULL);
INSERT INTO public.release VALUES ('7109bd2514b9fd67', 1, 1, 2, '2-1', '{"small": "official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}', '{"signatures": {"small": "official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 ranks first with an accuracy of .800, but its lead is not statistically significant.", "more": "The lead over team1, in second place, is .067 (95% CI \u2212.181 to .314, adjusted p = .77). Two other teams may be equally good or better (95% confidence set for the best team).", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 wins under F1 of averages, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Macro F1, if it ranked: same winner, not significant: team2 wins under F1 of averages, too; 2 other teams may be equally good or better there."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 wins under each of nine other metrics, too", "reason": "", "sentence": "Metric: same winner, not significant: team2 wins under each of nine other metrics, too."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Class distribution: same winner, not significant: team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 wins with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: same winner, not significant: team2 wins with scores rounded to 3 decimals, too."}], "to_do": [{"about": "rare-class", "text": "Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."}]}, "entries": ["team2", "team1", "team0"], "metric": "accuracy", "findings": [{"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "to_do": ["Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."], "report": "small.html", "readers": "~readers-small.html", "document": "small.json", "readers_document": "~readers-small.json"}], "summary": null, "rejected": []}', '2026-11-28T16:26:12.601134+00:00', '2026-11-28T16:26:28.863575+00:00', '4bfe4208cde6030e');
INSERT INTO public.release_part VALUES ('7109bd2514b9fd67', 1, 'export', '3-1');
INSERT INTO public.revision VALUES ('7109bd2514b9fd67', 1, '4bfe4208cde6030e', '2026-11-28T16:25:58.458927+00:00', 'small.zip added', '{"added": {"small.zip": {"sha256": "e7486eda6db5d101002d3a1cad9ab31072d5fcdb239a19aa5be8df764ef07e4e", "size": 1733}}, "removed": [], "unpack": true}', '{"gold.csv": {"sha256": "b5e6ad7a488b7d64b1a748f2c1ad1aa1db57b36fe0a5a076aeb0a89549aca128", "size": 269}, "submissions/team0.csv": {"sha256": "dd1ce3d5c2894226a6453ebd3bef59798f0467588f57ac60ffb37b8a2f7f6fbe", "size": 319}, "submissions/team1.csv": {"sha256": "9b662e0d75e781b5b97b4155fd81db3a9ae6860c8870981f753e03aee4f3edcc", "size": 270}, "submissions/team2.csv": {"sha256": "9a5578c0f8f4ae36cbac2c4f20c60fab459f7f77d1cb132f103e868acf954414", "size": 269}, "task.toml": {"sha256": "d1ebb68e88f2dff83a9e05baa8db25ff8ae127ff0d78d49214708243b8b472e2", "size": 44}}', '{"settings": "slug = \"small\"\nofficial_metric = \"accuracy\"\n", "issues": [], "tasks": [{"slug": "small", "title": "Small", "part": null, "note": "", "official_metric": "accuracy", "assumptions": ["task.toml states no title: the title is the folder''s name.", "The label set is taken from gold, in sorted order: \u201cno\u201d, \u201cperhaps\u201d and \u201cyes\u201d.", "gold.csv: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "3 submissions: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels."], "policies": {"missing": "wrong", "unusable": "wrong", "extra": "reject", "duplicates": "reject", "runs": "all", "baselines": "beside", "skipped": "left-out", "gold_copy": "refuse", "chosen": []}, "ranks_by": "accuracy", "metrics": [{"slug": "accuracy", "label": "Accuracy"}, {"slug": "macro_recall", "label": "Macro recall"}, {"slug": "geometric_macro_recall", "label": "G-macro recall"}, {"slug": "harmonic_macro_recall", "label": "H-macro recall"}, {"slug": "macro_precision", "label": "Macro precision"}, {"slug": "averaged_f1", "label": "Macro F1"}, {"slug": "f1_of_averages", "label": "F1 of averages"}, {"slug": "weighted_f1", "label": "Weighted F1"}, {"slug": "kappa", "label": "Cohen\u2019s kappa"}, {"slug": "mcc", "label": "MCC"}], "labels": [{"label": "no", "name": "no", "items": 10}, {"label": "perhaps", "name": "perhaps", "items": 10}, {"label": "yes", "name": "yes", "items": 10}], "gold": {"file": "gold.csv", "items": 30}, "submissions": [{"file": "submissions/team0.csv", "team": "team0", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team1.csv", "team": "team1", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team2.csv", "team": "team2", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}], "rejected": [], "causes": [], "journal": [{"action": "read", "subject": "gold.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team0.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team1.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team2.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}]}], "is_usable": true, "files": [{"file": "gold.csv", "kind": "gold", "role": "", "team": "", "run": "", "part": "", "why": "by its name or by task.toml", "is_open": false}, {"file": "submissions/team0.csv", "kind": "submission", "role": "primary", "team": "team0", "run": "", "part": "", "why": "by its place or by task.toml", "is_open": false}, {"file": "submissions/team1.csv", "kind": "submission", "role": "primary", "team": "team1", "run": "", "part": "", "why": "by its place or by task.toml", "is_open": false}, {"file": "submissions/team2.csv", "kind": "submission", "role": "primary", "team": "team2", "run": "", "part": "", "why": "by its place or by task.toml", "is_open": false}], "draft": null, "allowed": {"policies": [{"slug": "missing", "title": "Missing items", "values": {"wrong": "count as unanswered: wrong by every metric", "drop": "left out of that submission\u2019s scores, which are then of fewer items: marked, and not compared", "reject": "reject the submission", "worst": "of a scorer\u2019s numbers: count as the worst number of the column\u2019s range", "mean": "of ratings: count as the mean of that submission\u2019s predictions"}}, {"slug": "unusable", "title": "Labels outside the label set", "values": {"wrong": "count as unanswered: wrong by every metric", "reject": "reject the submission"}}, {"slug": "extra", "title": "Items that gold lacks", "values": {"reject": "reject the submission", "ignore": "are left out, and counted; without ids, those behind the last item"}}, {"slug": "duplicates", "title": "Items answered twice", "values": {"reject": "reject the submission", "first": "the first answer counts", "last": "the last answer counts"}}, {"slug": "runs", "title": "Several runs of a team", "values": {"all": "every run is a row, and a team\u2019s runs with the same answers are one; beside a team\u2019s primary run, contrastive ones take no rank", "primary": "the primary run counts, or the last by name where none or several are primary", "last": "the run that is last by name counts", "best": "the best run by the official metric counts, which favours teams with many runs"}}, {"slug": "baselines", "title": "Baselines", "values": {"beside": "beside the teams, from whom they take no rank", "ranked": "ranked like teams: the first place is still among the teams"}}, {"slug": "skipped", "title": "A test set that a team skipped", "values": {"left-out": "the team has no overall rank, and its means are over the test sets it took part in", "last": "the team shares the last rank there; it has no mean score"}}, {"slug": "gold_copy", "title": "A submission that equals gold", "values": {"refuse": "is refused where its columns, items and labels are the gold file\u2019s; where only its labels are, the verdict asks whether it is a copy", "accept": "is a submission like any other"}}]}}');
INSERT INTO public.service VALUES ('mark', '8f4ad25d59e2d061');
INSERT INTO public.service VALUES ('folder', 'bf24aaab93c04111');
INSERT INTO public.service VALUES ('address', 'http://127.0.0.1:34759/');
INSERT INTO public.service VALUES ('device key', 'iJvMg9Y5ABZD9i4_37vtgC--Qb3tqlBB');
INSERT INTO public.session VALUES ('7625e5b8adb914ea145c5d17b6ab20a907e47a2d025e5ea0ec36435915dcb4a8', '4bfe4208cde6030e', '2026-11-28T16:25:58.179349+00:00', '2026-12-12T16:25:58.179374+00:00', 'Python-urllib/3.11', 0);
INSERT INTO public.share_link VALUES ('6268179a127ad848', 'd1310932ae38d0d09ccebcaf746fdd3cd93c2f413333114c441a43f6c0227b2e', '7109bd2514b9fd67', 1, 0, '4bfe4208cde6030e', '2026-11-28T16:26:28.918354+00:00', '2027-11-28T16:26:28.918381+00:00', NULL);
INSERT INTO public.upload VALUES ('5f9c43aa024335ce', '7109bd2514b9fd67', '4bfe4208cde6030e', 'small.zip', 1733, 'e7486eda6db5d101002d3a1cad9ab31072d5fcdb239a19aa5be8df764ef07e4e', '2026-11-28T16:25:58.436154+00:00');
SELECT pg_catalog.setval('public.event_number_seq', 14, true);
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
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT upload_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.withdrawal
    ADD CONSTRAINT withdrawal_pkey PRIMARY KEY (campaign, release);
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
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT upload_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT upload_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
ALTER TABLE ONLY public.withdrawal
    ADD CONSTRAINT withdrawal_campaign_fkey FOREIGN KEY (campaign) REFERENCES public.campaign(id);
ALTER TABLE ONLY public.withdrawal
    ADD CONSTRAINT withdrawal_person_fkey FOREIGN KEY (person) REFERENCES public.person(id);
