PRAGMA application_id = 0;
PRAGMA user_version = 0;
BEGIN TRANSACTION;
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
);
INSERT INTO "api_token" VALUES('c7528cc51c64e236','67c4322f5c3a576ed40291dc56321dfd6660217922fba42fca0d68b0a214a692','d92020c9ee4759ff',NULL,'organiser','nightly','2026-11-28T16:25:50.414992+00:00','2027-05-27T16:25:50.415013+00:00',NULL);
CREATE TABLE campaign (
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    removed_at TEXT,
    head BIGINT NOT NULL,
    PRIMARY KEY (id)
);
INSERT INTO "campaign" VALUES('507302c7984b89ef','Small','2026-11-28T16:25:19.739120+00:00',NULL,1);
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
);
INSERT INTO "event" VALUES(1,NULL,'d92020c9ee4759ff','2026-11-28T16:25:19.016615+00:00','began the service','{}');
INSERT INTO "event" VALUES(2,NULL,'d92020c9ee4759ff','2026-11-28T16:25:19.431763+00:00','set name and password','{}');
INSERT INTO "event" VALUES(3,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:19.741148+00:00','began the campaign','{"title": "Small"}');
INSERT INTO "event" VALUES(4,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:19.783372+00:00','uploaded a file','{"path": "small.zip", "sha256": "408a1a90e298277e36cad647cdf7990c00a849509f489e9d201025840a43d420", "size": 1733}');
INSERT INTO "event" VALUES(5,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:19.818143+00:00','changed files','{"revision": 1, "note": "small.zip added"}');
INSERT INTO "event" VALUES(6,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:19.833994+00:00','asked for a job','{"job": 1, "kind": "read", "revision": 1}');
INSERT INTO "event" VALUES(7,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:26.113594+00:00','said what counts','{"official": ["accuracy"]}');
INSERT INTO "event" VALUES(8,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:26.132622+00:00','asked for a job','{"job": 2, "kind": "evaluate", "revision": 1}');
INSERT INTO "event" VALUES(9,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:34.595255+00:00','evaluated','{"release": 1, "revision": 1}');
INSERT INTO "event" VALUES(10,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:34.603079+00:00','asked for a job','{"job": 3, "kind": "export", "release": 1}');
INSERT INTO "event" VALUES(11,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:50.328425+00:00','published','{"release": 1}');
INSERT INTO "event" VALUES(12,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:50.376486+00:00','made a link','{"release": 1, "anonymous": false, "link": "9df750427094e5b3"}');
INSERT INTO "event" VALUES(13,'507302c7984b89ef','d92020c9ee4759ff','2026-11-28T16:25:50.396050+00:00','invited somebody','{"invitation": "5aad81f2235c4f8e", "role": "reader"}');
INSERT INTO "event" VALUES(14,NULL,'d92020c9ee4759ff','2026-11-28T16:25:50.416120+00:00','made a token','{"label": "nightly", "role": "organiser"}');
CREATE TABLE hosting_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT hosting_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "hosting_version" VALUES('h0002');
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
);
INSERT INTO "invitation" VALUES('5aad81f2235c4f8e','0ed2e325c515c7d8641f57c37a0839199439df8537448648c95113db4c7a19d2','507302c7984b89ef','reader','d92020c9ee4759ff','2026-11-28T16:25:50.395236+00:00','2026-12-05T16:25:50.395252+00:00',NULL,NULL);
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
);
INSERT INTO "job" VALUES(1,'507302c7984b89ef','d92020c9ee4759ff','read','{"revision": 1}','done',1,0,22,0,'vm:5158, worker 1','reading',3,3,'{}','2026-11-28T16:25:19.828086+00:00','2026-11-28T16:25:20.176152+00:00','2026-11-28T16:25:25.886407+00:00');
INSERT INTO "job" VALUES(2,'507302c7984b89ef','d92020c9ee4759ff','evaluate','{"revision": 1, "skip_rejected": false}','done',1,0,32,0,'vm:5158, worker 1','writing',1,1,'{"signatures": {"small": "official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 ranks first with an accuracy of .800, but its lead is not statistically significant.", "more": "The lead over team1, in second place, is .067 (95% CI \u2212.181 to .314, adjusted p = .77). Two other teams may be equally good or better (95% confidence set for the best team).", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 wins under F1 of averages, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Macro F1, if it ranked: same winner, not significant: team2 wins under F1 of averages, too; 2 other teams may be equally good or better there."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 wins under each of nine other metrics, too", "reason": "", "sentence": "Metric: same winner, not significant: team2 wins under each of nine other metrics, too."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Class distribution: same winner, not significant: team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 wins with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: same winner, not significant: team2 wins with scores rounded to 3 decimals, too."}], "to_do": [{"about": "rare-class", "text": "Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."}]}, "entries": ["team2", "team1", "team0"], "metric": "accuracy", "findings": [{"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "to_do": ["Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."], "report": "small.html", "readers": "~readers-small.html", "document": "small.json", "readers_document": "~readers-small.json"}], "summary": null, "rejected": []}','2026-11-28T16:25:26.132016+00:00','2026-11-28T16:25:26.418653+00:00','2026-11-28T16:25:34.587384+00:00');
INSERT INTO "job" VALUES(3,'507302c7984b89ef','d92020c9ee4759ff','export','{"release": 1}','done',1,0,59,0,'vm:5158, worker 2','drawing',7,7,'{}','2026-11-28T16:25:34.601991+00:00','2026-11-28T16:25:34.780275+00:00','2026-11-28T16:25:50.125889+00:00');
CREATE TABLE membership (
    campaign TEXT NOT NULL,
    person TEXT NOT NULL,
    role TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (campaign, person),
    FOREIGN KEY(campaign) REFERENCES campaign (id),
    FOREIGN KEY(person) REFERENCES person (id)
);
INSERT INTO "membership" VALUES('507302c7984b89ef','d92020c9ee4759ff','owner','2026-11-28T16:25:19.739120+00:00');
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
);
INSERT INTO "person" VALUES('d92020c9ee4759ff','Ada','ada','$argon2id$v=19$m=65536,t=3,p=4$3mu9A2zSuF05TK6OmijiSw$fLr5/W7rfmdCN+MjReXT4LHnHtotQUbPm8Jqj9E+D40',1,1,'2026-11-28T16:25:19.015543+00:00',NULL);
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
);
INSERT INTO "release" VALUES('507302c7984b89ef',1,1,2,'2-1','{"small": "official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}','{"signatures": {"small": "official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 ranks first with an accuracy of .800, but its lead is not statistically significant.", "more": "The lead over team1, in second place, is .067 (95% CI \u2212.181 to .314, adjusted p = .77). Two other teams may be equally good or better (95% confidence set for the best team).", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 wins under F1 of averages, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Macro F1, if it ranked: same winner, not significant: team2 wins under F1 of averages, too; 2 other teams may be equally good or better there."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 wins under each of nine other metrics, too", "reason": "", "sentence": "Metric: same winner, not significant: team2 wins under each of nine other metrics, too."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there", "reason": "", "sentence": "Class distribution: same winner, not significant: team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 wins with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: same winner, not significant: team2 wins with scores rounded to 3 decimals, too."}], "to_do": [{"about": "rare-class", "text": "Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."}]}, "entries": ["team2", "team1", "team0"], "metric": "accuracy", "findings": [{"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "to_do": ["Report the small size of classes \u201cno\u201d (10 items), \u201cperhaps\u201d (10 items) and \u201cyes\u201d (10 items)."], "report": "small.html", "readers": "~readers-small.html", "document": "small.json", "readers_document": "~readers-small.json"}], "summary": null, "rejected": []}','2026-11-28T16:25:34.593989+00:00','2026-11-28T16:25:50.327449+00:00','d92020c9ee4759ff');
CREATE TABLE release_part (
    campaign TEXT NOT NULL,
    release INTEGER NOT NULL,
    kind TEXT NOT NULL,
    folder TEXT NOT NULL,
    PRIMARY KEY (campaign, release, kind),
    FOREIGN KEY(campaign) REFERENCES campaign (id)
);
INSERT INTO "release_part" VALUES('507302c7984b89ef',1,'export','3-1');
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
);
INSERT INTO "revision" VALUES('507302c7984b89ef',1,'d92020c9ee4759ff','2026-11-28T16:25:19.812343+00:00','small.zip added','{"added": {"small.zip": {"sha256": "408a1a90e298277e36cad647cdf7990c00a849509f489e9d201025840a43d420", "size": 1733}}, "removed": [], "unpack": true}','{"gold.csv": {"sha256": "b5e6ad7a488b7d64b1a748f2c1ad1aa1db57b36fe0a5a076aeb0a89549aca128", "size": 269}, "submissions/team0.csv": {"sha256": "dd1ce3d5c2894226a6453ebd3bef59798f0467588f57ac60ffb37b8a2f7f6fbe", "size": 319}, "submissions/team1.csv": {"sha256": "9b662e0d75e781b5b97b4155fd81db3a9ae6860c8870981f753e03aee4f3edcc", "size": 270}, "submissions/team2.csv": {"sha256": "9a5578c0f8f4ae36cbac2c4f20c60fab459f7f77d1cb132f103e868acf954414", "size": 269}, "task.toml": {"sha256": "d1ebb68e88f2dff83a9e05baa8db25ff8ae127ff0d78d49214708243b8b472e2", "size": 44}}','{"settings": "slug = \"small\"\nofficial_metric = \"accuracy\"\n", "issues": [], "tasks": [{"slug": "small", "title": "Small", "part": null, "note": "", "official_metric": "accuracy", "assumptions": ["task.toml states no title: the title is the folder''s name.", "The label set is taken from gold, in sorted order: \u201cno\u201d, \u201cperhaps\u201d and \u201cyes\u201d.", "gold.csv: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "3 submissions: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels."], "policies": {"missing": "wrong", "unusable": "wrong", "extra": "reject", "duplicates": "reject", "runs": "all", "baselines": "beside", "skipped": "left-out", "gold_copy": "refuse", "chosen": []}, "ranks_by": "accuracy", "metrics": [{"slug": "accuracy", "label": "Accuracy"}, {"slug": "macro_recall", "label": "Macro recall"}, {"slug": "geometric_macro_recall", "label": "G-macro recall"}, {"slug": "harmonic_macro_recall", "label": "H-macro recall"}, {"slug": "macro_precision", "label": "Macro precision"}, {"slug": "averaged_f1", "label": "Macro F1"}, {"slug": "f1_of_averages", "label": "F1 of averages"}, {"slug": "weighted_f1", "label": "Weighted F1"}, {"slug": "kappa", "label": "Cohen\u2019s kappa"}, {"slug": "mcc", "label": "MCC"}], "labels": [{"label": "no", "name": "no", "items": 10}, {"label": "perhaps", "name": "perhaps", "items": 10}, {"label": "yes", "name": "yes", "items": 10}], "gold": {"file": "gold.csv", "items": 30}, "submissions": [{"file": "submissions/team0.csv", "team": "team0", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team1.csv", "team": "team1", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team2.csv", "team": "team2", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}], "rejected": [], "causes": [], "journal": [{"action": "read", "subject": "gold.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team0.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team1.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team2.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}]}], "is_usable": true, "files": [{"file": "gold.csv", "kind": "gold", "role": "", "team": "", "run": "", "part": "", "why": "by its name or by task.toml", "is_open": false}, {"file": "submissions/team0.csv", "kind": "submission", "role": "primary", "team": "team0", "run": "", "part": "", "why": "by its place or by task.toml", "is_open": false}, {"file": "submissions/team1.csv", "kind": "submission", "role": "primary", "team": "team1", "run": "", "part": "", "why": "by its place or by task.toml", "is_open": false}, {"file": "submissions/team2.csv", "kind": "submission", "role": "primary", "team": "team2", "run": "", "part": "", "why": "by its place or by task.toml", "is_open": false}], "draft": null, "allowed": {"policies": [{"slug": "missing", "title": "Missing items", "values": {"wrong": "count as unanswered: wrong by every metric", "drop": "left out of that submission\u2019s scores, which are then of fewer items: marked, and not compared", "reject": "reject the submission", "worst": "of a scorer\u2019s numbers: count as the worst number of the column\u2019s range", "mean": "of ratings: count as the mean of that submission\u2019s predictions"}}, {"slug": "unusable", "title": "Labels outside the label set", "values": {"wrong": "count as unanswered: wrong by every metric", "reject": "reject the submission"}}, {"slug": "extra", "title": "Items that gold lacks", "values": {"reject": "reject the submission", "ignore": "are left out, and counted; without ids, those behind the last item"}}, {"slug": "duplicates", "title": "Items answered twice", "values": {"reject": "reject the submission", "first": "the first answer counts", "last": "the last answer counts"}}, {"slug": "runs", "title": "Several runs of a team", "values": {"all": "every run is a row, and a team\u2019s runs with the same answers are one; beside a team\u2019s primary run, contrastive ones take no rank", "primary": "the primary run counts, or the last by name where none or several are primary", "last": "the run that is last by name counts", "best": "the best run by the official metric counts, which favours teams with many runs"}}, {"slug": "baselines", "title": "Baselines", "values": {"beside": "beside the teams, from whom they take no rank", "ranked": "ranked like teams: the first place is still among the teams"}}, {"slug": "skipped", "title": "A test set that a team skipped", "values": {"left-out": "the team has no overall rank, and its means are over the test sets it took part in", "last": "the team shares the last rank there; it has no mean score"}}, {"slug": "gold_copy", "title": "A submission that equals gold", "values": {"refuse": "is refused where its columns, items and labels are the gold file\u2019s; where only its labels are, the verdict asks whether it is a copy", "accept": "is a submission like any other"}}]}}');
CREATE TABLE service (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
);
INSERT INTO "service" VALUES('mark','8f4ad25d59e2d061');
INSERT INTO "service" VALUES('folder','5a18682d45f86394');
INSERT INTO "service" VALUES('address','http://127.0.0.1:43493/');
INSERT INTO "service" VALUES('device key','vDGm6blEijDTipG7G7N5YrafcjTV5PbB');
CREATE TABLE session (
    digest TEXT NOT NULL,
    person TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL, client TEXT, by_link INTEGER DEFAULT '0' NOT NULL,
    PRIMARY KEY (digest),
    FOREIGN KEY(person) REFERENCES person (id)
);
INSERT INTO "session" VALUES('7da4d87ec1230ba843e547855b3827ac0f1d0f98f864257c1767006c9b161e0d','d92020c9ee4759ff','2026-11-28T16:25:19.434658+00:00','2026-12-12T16:25:19.434682+00:00','Python-urllib/3.11',0);
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
);
INSERT INTO "share_link" VALUES('9df750427094e5b3','d785c1edd0abf708a378127f44c10a7ec4e0c125a0763dfc32fae74a696b86d2','507302c7984b89ef',1,0,'d92020c9ee4759ff','2026-11-28T16:25:50.373311+00:00','2027-11-28T16:25:50.373329+00:00',NULL);
CREATE TABLE sign_in_link (
	digest TEXT NOT NULL, 
	person TEXT NOT NULL, 
	made_at TEXT NOT NULL, 
	expires_at TEXT NOT NULL, 
	used_at TEXT, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(person) REFERENCES person (id)
);
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
);
INSERT INTO "upload" VALUES('3ea8a07ea276a87a','507302c7984b89ef','d92020c9ee4759ff','small.zip',1733,'408a1a90e298277e36cad647cdf7990c00a849509f489e9d201025840a43d420','2026-11-28T16:25:19.777138+00:00');
CREATE TABLE withdrawal (
	campaign TEXT NOT NULL, 
	release INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	at TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (campaign, release), 
	FOREIGN KEY(campaign) REFERENCES campaign (id), 
	FOREIGN KEY(person) REFERENCES person (id)
);
CREATE UNIQUE INDEX one_running_job_of_a_campaign ON job (campaign, (kind IN ('anonymise', 'export'))) WHERE state = 'running';
CREATE INDEX job_of_state ON job (state, number);
CREATE INDEX event_of_campaign ON event (campaign, number);
CREATE TRIGGER event_is_kept_0 BEFORE UPDATE ON event FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'event is kept as it is'); END;
CREATE TRIGGER event_is_kept_1 BEFORE DELETE ON event FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'event is kept as it is'); END;
CREATE TRIGGER release_is_kept_0 BEFORE DELETE ON release FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END;
CREATE TRIGGER release_is_kept_1 BEFORE UPDATE OF campaign, number, revision, job, folder, signatures, summary, made_at ON release FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END;
CREATE TRIGGER release_is_kept_2 BEFORE UPDATE OF published_at, published_by ON release FOR EACH ROW WHEN (OLD.published_at IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END;
COMMIT;
