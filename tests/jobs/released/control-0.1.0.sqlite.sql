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
INSERT INTO "api_token" VALUES('1cdf3d64cb57b2d0','beb7b0ebb2884522895f45fe3af0d3c23afbdd25ad93d885caca8111a9b1e1ed','fa2dbbb5a7a9306e',NULL,'organiser','nightly','2026-11-28T11:23:09.159106+00:00','2027-05-27T11:23:09.159111+00:00',NULL);
CREATE TABLE campaign (
	id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	removed_at TEXT, 
	head BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaign" VALUES('c999add7232d4836','Small','2026-11-28T11:22:52.078190+00:00',NULL,1);
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
INSERT INTO "event" VALUES(1,NULL,'fa2dbbb5a7a9306e','2026-11-28T11:22:51.718459+00:00','began the service','{}');
INSERT INTO "event" VALUES(2,NULL,'fa2dbbb5a7a9306e','2026-11-28T11:22:52.027438+00:00','set name and password','{}');
INSERT INTO "event" VALUES(3,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:22:52.078981+00:00','began the campaign','{"title": "Small"}');
INSERT INTO "event" VALUES(4,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:22:52.085245+00:00','uploaded a file','{"path": "small.zip", "sha256": "17971ef7551736b67e4ef8792fe9faa5138a5479368313ef8565b023d3bfe7cc", "size": 1704}');
INSERT INTO "event" VALUES(5,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:22:52.090286+00:00','changed files','{"revision": 1, "note": "small.zip added"}');
INSERT INTO "event" VALUES(6,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:22:52.092183+00:00','asked for a job','{"job": 1, "kind": "read"}');
INSERT INTO "event" VALUES(7,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:22:55.024544+00:00','asked for a job','{"job": 2, "kind": "evaluate"}');
INSERT INTO "event" VALUES(8,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:23:01.240824+00:00','evaluated','{"release": 1, "revision": 1}');
INSERT INTO "event" VALUES(9,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:23:01.241984+00:00','asked for a job','{"job": 3, "kind": "export"}');
INSERT INTO "event" VALUES(10,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:23:09.148467+00:00','published','{"release": 1}');
INSERT INTO "event" VALUES(11,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:23:09.153356+00:00','made a link','{"release": 1, "anonymous": false, "link": "5a10738a07233396"}');
INSERT INTO "event" VALUES(12,'c999add7232d4836','fa2dbbb5a7a9306e','2026-11-28T11:23:09.156849+00:00','invited somebody','{"invitation": "251a2c8d422d7ee8", "role": "reader"}');
INSERT INTO "event" VALUES(13,NULL,'fa2dbbb5a7a9306e','2026-11-28T11:23:09.159476+00:00','made a token','{"label": "nightly", "role": "organiser"}');
CREATE TABLE hosting_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT hosting_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "hosting_version" VALUES('h0001');
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
INSERT INTO "invitation" VALUES('251a2c8d422d7ee8','ec4fde0b6d874093ff05d1e059f8a7c81f72c22f10d6c50912e6853a5b9537d8','c999add7232d4836','reader','fa2dbbb5a7a9306e','2026-11-28T11:23:09.156493+00:00','2026-12-05T11:23:09.156499+00:00',NULL,NULL);
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
INSERT INTO "job" VALUES(1,'c999add7232d4836','fa2dbbb5a7a9306e','read','{"revision": 1}','done',1,0,11,0,'vm:18417, worker 2','reading',3,3,'{}','2026-11-28T11:22:52.091723+00:00','2026-11-28T11:22:52.160037+00:00','2026-11-28T11:22:54.917289+00:00');
INSERT INTO "job" VALUES(2,'c999add7232d4836','fa2dbbb5a7a9306e','evaluate','{"revision": 1, "skip_rejected": false}','done',1,0,24,0,'vm:18417, worker 1','writing',1,1,'{"signatures": {"small": "official:none|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|replicates:0|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 is first by averaged F1 (.800). 2 others could be best, too.", "more": "team2 is .067 ahead of team1. To find a true difference of that size 80% of the time takes about 590 items for this pair alone, about 766 items among all pairs; the test set has 30 items. No official metric is stated: the ranking is by averaged F1 until one is.", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too", "reason": "", "sentence": "Macro F1 formula: the same, not shown: team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 by each of 8 other metrics (scores of single classes left out)", "reason": "", "sentence": "Metric: the same, not shown: team2 by each of 8 other metrics (scores of single classes left out)."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too", "reason": "", "sentence": "Class distribution: the same, not shown: team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: the same, not shown: team2 with scores rounded to 3 decimals, too."}], "to_do": [{"about": "no-official-metric", "text": "State the metric that was announced: official_metric = \"\u2026\" in task.toml."}, {"about": "rare-class", "text": "Say how few items \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10) have."}, {"about": "wording", "text": "Write averaged F1, not macro F1."}]}, "entries": ["team2", "team1", "team0"], "metric": "averaged_f1", "findings": [{"slug": "no-official-metric", "level": 3, "says": "No official metric is stated; the ranking is shown by averaged F1."}, {"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "report": "small.html", "document": "small.json"}], "summary": null, "rejected": []}','2026-11-28T11:22:55.024098+00:00','2026-11-28T11:22:55.205729+00:00','2026-11-28T11:23:01.239259+00:00');
INSERT INTO "job" VALUES(3,'c999add7232d4836','fa2dbbb5a7a9306e','export','{"release": 1}','done',1,0,30,0,'vm:18417, worker 2','drawing',9,9,'{}','2026-11-28T11:23:01.241733+00:00','2026-11-28T11:23:01.516838+00:00','2026-11-28T11:23:08.945347+00:00');
CREATE TABLE membership (
	campaign TEXT NOT NULL, 
	person TEXT NOT NULL, 
	role TEXT NOT NULL, 
	since TEXT NOT NULL, 
	PRIMARY KEY (campaign, person), 
	FOREIGN KEY(campaign) REFERENCES campaign (id), 
	FOREIGN KEY(person) REFERENCES person (id)
);
INSERT INTO "membership" VALUES('c999add7232d4836','fa2dbbb5a7a9306e','owner','2026-11-28T11:22:52.078190+00:00');
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
INSERT INTO "person" VALUES('fa2dbbb5a7a9306e','Ada','ada','$argon2id$v=19$m=65536,t=3,p=4$0ND45GhKjBUHU8hoeLVOJQ$aNbPgD+McREEuQAEf5hOhBMAOI2RrtZOLyou8nkcphE',1,1,'2026-11-28T11:22:51.718030+00:00',NULL);
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
INSERT INTO "release" VALUES('c999add7232d4836',1,1,2,'2-1','{"small": "official:none|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|replicates:0|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}','{"signatures": {"small": "official:none|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|replicates:0|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0"}, "tasks": [{"slug": "small", "title": "Small", "load": 1, "verdict": {"claim": "open", "sentence": "team2 is first by averaged F1 (.800). 2 others could be best, too.", "more": "team2 is .067 ahead of team1. To find a true difference of that size 80% of the time takes about 590 items for this pair alone, about 766 items among all pairs; the test set has 30 items. No official metric is stated: the ranking is by averaged F1 until one is.", "winners": ["team2"], "could_be_best": ["team2", "team1", "team0"], "depends_on": [{"choice": "macro-f1", "state": "same-not-shown", "first": "team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too", "reason": "", "sentence": "Macro F1 formula: the same, not shown: team2 by averaged F1 and by F1 of averages, where 2 other teams could be best, too."}, {"choice": "metric", "state": "same-not-shown", "first": "team2 by each of 8 other metrics (scores of single classes left out)", "reason": "", "sentence": "Metric: the same, not shown: team2 by each of 8 other metrics (scores of single classes left out)."}, {"choice": "prevalence", "state": "same-not-shown", "first": "team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too", "reason": "", "sentence": "Class distribution: the same, not shown: team2 by averaged F1 and by averaged F1 at balanced prevalence, where 2 other teams could be best, too."}, {"choice": "rounding", "state": "same-not-shown", "first": "team2 with scores rounded to 3 decimals, too", "reason": "", "sentence": "Ties and rounding: the same, not shown: team2 with scores rounded to 3 decimals, too."}], "to_do": [{"about": "no-official-metric", "text": "State the metric that was announced: official_metric = \"\u2026\" in task.toml."}, {"about": "rare-class", "text": "Say how few items \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10) have."}, {"about": "wording", "text": "Write averaged F1, not macro F1."}]}, "entries": ["team2", "team1", "team0"], "metric": "averaged_f1", "findings": [{"slug": "no-official-metric", "level": 3, "says": "No official metric is stated; the ranking is shown by averaged F1."}, {"slug": "too-few-gold-items", "level": 3, "says": "3 classes have too few gold items for a claim: the median team\u2019s 95% interval of recall is wider than .3: \u201cno\u201d (.47 wide), \u201cperhaps\u201d (.47 wide) and \u201cyes\u201d (.47 wide)."}, {"slug": "class-never-predicted", "level": 3, "says": "1 submission never predicts some class of gold: team0 (\u201cno\u201d)."}, {"slug": "rare-class", "level": 3, "says": "3 classes have fewer than 20 gold items: \u201cno\u201d (10), \u201cperhaps\u201d (10) and \u201cyes\u201d (10)."}], "report": "small.html", "document": "small.json"}], "summary": null, "rejected": []}','2026-11-28T11:23:01.240402+00:00','2026-11-28T11:23:09.148037+00:00','fa2dbbb5a7a9306e');
CREATE TABLE release_part (
	campaign TEXT NOT NULL, 
	release INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	folder TEXT NOT NULL, 
	PRIMARY KEY (campaign, release, kind), 
	FOREIGN KEY(campaign) REFERENCES campaign (id)
);
INSERT INTO "release_part" VALUES('c999add7232d4836',1,'export','3-1');
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
INSERT INTO "revision" VALUES('c999add7232d4836',1,'fa2dbbb5a7a9306e','2026-11-28T11:22:52.089898+00:00','small.zip added','{"added": {"small.zip": {"sha256": "17971ef7551736b67e4ef8792fe9faa5138a5479368313ef8565b023d3bfe7cc", "size": 1704}}, "removed": [], "unpack": true}','{"gold.csv": {"sha256": "b5e6ad7a488b7d64b1a748f2c1ad1aa1db57b36fe0a5a076aeb0a89549aca128", "size": 269}, "submissions/team0.csv": {"sha256": "dd1ce3d5c2894226a6453ebd3bef59798f0467588f57ac60ffb37b8a2f7f6fbe", "size": 319}, "submissions/team1.csv": {"sha256": "9b662e0d75e781b5b97b4155fd81db3a9ae6860c8870981f753e03aee4f3edcc", "size": 270}, "submissions/team2.csv": {"sha256": "9a5578c0f8f4ae36cbac2c4f20c60fab459f7f77d1cb132f103e868acf954414", "size": 269}, "task.toml": {"sha256": "9f5844315a5ffd9d51b6f454f4fe6876af4d7308381ba1215889c8670b2af421", "size": 15}}','{"settings": "slug = \"small\"\n", "issues": [], "tasks": [{"slug": "small", "title": "Small", "part": null, "note": "", "official_metric": null, "assumptions": ["task.toml states no title: the title is the folder''s name.", "The label set is taken from gold, in sorted order: \u201cno\u201d, \u201cperhaps\u201d and \u201cyes\u201d.", "No official metric is stated.", "gold.csv: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "3 submissions: comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels."], "policies": {"missing": "wrong", "unusable": "wrong", "extra": "reject", "duplicates": "reject", "runs": "all", "baselines": "beside", "skipped": "left-out", "gold_copy": "refuse", "chosen": []}, "metrics": [{"slug": "accuracy", "label": "Accuracy"}, {"slug": "macro_recall", "label": "Macro recall"}, {"slug": "geometric_macro_recall", "label": "G-macro recall"}, {"slug": "harmonic_macro_recall", "label": "H-macro recall"}, {"slug": "macro_precision", "label": "Macro precision"}, {"slug": "averaged_f1", "label": "Macro F1 (averaged F1)"}, {"slug": "f1_of_averages", "label": "Macro F1\u2032 (F1 of averages)"}, {"slug": "weighted_f1", "label": "Weighted F1"}, {"slug": "kappa", "label": "Cohen\u2019s kappa"}, {"slug": "mcc", "label": "MCC"}], "labels": [{"label": "no", "name": "no", "items": 10}, {"label": "perhaps", "name": "perhaps", "items": 10}, {"label": "yes", "name": "yes", "items": 10}], "gold": {"file": "gold.csv", "items": 30}, "submissions": [{"file": "submissions/team0.csv", "team": "team0", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team1.csv", "team": "team1", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}, {"file": "submissions/team2.csv", "team": "team2", "run": null, "role": "primary", "answered": 30, "items": 30, "issues": []}], "rejected": [], "causes": [], "journal": [{"action": "read", "subject": "gold.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team0.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team1.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}, {"action": "read", "subject": "submissions/team2.csv", "text": "comma-separated, header; column \u201cid\u201d holds the ids, column \u201clabel\u201d the labels.", "count": 30}]}], "is_usable": true, "files": [{"file": "gold.csv", "kind": "gold", "role": "", "team": "", "run": "", "part": "", "why": "", "is_open": false}, {"file": "submissions/team0.csv", "kind": "submission", "role": "primary", "team": "team0", "run": "", "part": "", "why": "", "is_open": false}, {"file": "submissions/team1.csv", "kind": "submission", "role": "primary", "team": "team1", "run": "", "part": "", "why": "", "is_open": false}, {"file": "submissions/team2.csv", "kind": "submission", "role": "primary", "team": "team2", "run": "", "part": "", "why": "", "is_open": false}], "draft": null, "allowed": {"policies": [{"slug": "missing", "title": "Missing items", "values": {"wrong": "count as unanswered: wrong by every metric", "drop": "left out of that submission\u2019s scores, which are then of fewer items: marked, and not compared", "reject": "reject the submission"}}, {"slug": "unusable", "title": "Labels outside the label set", "values": {"wrong": "count as unanswered: wrong by every metric", "reject": "reject the submission"}}, {"slug": "extra", "title": "Items that gold lacks", "values": {"reject": "reject the submission", "ignore": "are left out, and counted; without ids, those behind the last item"}}, {"slug": "duplicates", "title": "Items answered twice", "values": {"reject": "reject the submission", "first": "the first answer counts", "last": "the last answer counts"}}, {"slug": "runs", "title": "Several runs of a team", "values": {"all": "every run is a row, and a team\u2019s runs with the same answers are one; beside a team\u2019s primary run, contrastive ones take no rank", "primary": "the primary run counts, or the last by name where none or several are primary", "last": "the run that is last by name counts", "best": "the best run by the official metric counts, which favours teams with many runs"}}, {"slug": "baselines", "title": "Baselines", "values": {"beside": "beside the teams, from whom they take no rank", "ranked": "ranked like teams: the first place is still among the teams"}}, {"slug": "skipped", "title": "A test set that a team skipped", "values": {"left-out": "the team has no overall rank, and its means are over the test sets it took part in", "last": "the team shares the last rank there; it has no mean score"}}, {"slug": "gold_copy", "title": "A submission that equals gold", "values": {"refuse": "is refused where its columns, items and labels are the gold file\u2019s; where only its labels are, the verdict asks whether it is a copy", "accept": "is a submission like any other"}}]}}');
CREATE TABLE service (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "service" VALUES('mark','33d08e68ca3cf9ad');
INSERT INTO "service" VALUES('folder','51207d84efcd6594');
CREATE TABLE session (
	digest TEXT NOT NULL, 
	person TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	expires_at TEXT NOT NULL, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(person) REFERENCES person (id)
);
INSERT INTO "session" VALUES('d19ce1268ec370856b469492b443b3f423ce0219846bb5bad20f18acd0c35b4e','fa2dbbb5a7a9306e','2026-11-28T11:22:52.028083+00:00','2026-12-12T11:22:52.028093+00:00');
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
INSERT INTO "share_link" VALUES('5a10738a07233396','e0d045b98b4e191037c0132e189c05e9c54b0c211dfe523ad08389435e36d50e','c999add7232d4836',1,0,'fa2dbbb5a7a9306e','2026-11-28T11:23:09.152887+00:00','2027-11-28T11:23:09.152894+00:00',NULL);
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
INSERT INTO "upload" VALUES('5252dff9ab7d2bde','c999add7232d4836','fa2dbbb5a7a9306e','small.zip',1704,'17971ef7551736b67e4ef8792fe9faa5138a5479368313ef8565b023d3bfe7cc','2026-11-28T11:22:52.084793+00:00');
CREATE INDEX job_of_state ON job (state, number);
CREATE UNIQUE INDEX one_running_job_of_a_campaign ON job (campaign, (kind IN ('anonymise', 'export'))) WHERE state = 'running';
CREATE INDEX event_of_campaign ON event (campaign, number);
CREATE TRIGGER event_is_kept_0 BEFORE UPDATE ON event FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'event is kept as it is'); END;
CREATE TRIGGER event_is_kept_1 BEFORE DELETE ON event FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'event is kept as it is'); END;
CREATE TRIGGER release_is_kept_0 BEFORE DELETE ON release FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END;
CREATE TRIGGER release_is_kept_1 BEFORE UPDATE OF campaign, number, revision, job, folder, signatures, summary, made_at ON release FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END;
CREATE TRIGGER release_is_kept_2 BEFORE UPDATE OF published_at, published_by ON release FOR EACH ROW WHEN (OLD.published_at IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'release is kept as it is'); END;
COMMIT;
