PRAGMA application_id = 1398030709;
PRAGMA user_version = 1565426697;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO "alembic_version" VALUES('0001');
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
INSERT INTO "evaluation" VALUES(1,1,'2026-11-28T19:02:55+00:00','0.1.0','official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0','{"seed":1,"certainty":true,"compare":[]}',3,'59d407477f643cc042615673ee8c7d7339b0cf38ed3ba1c1d40986c20b00115b','{"format":1,"program":"0.1.0","task":"small","title":"Small","note":"","signature":"official:accuracy|decimals:full|classes:in-gold(3-of-3)|undefined-term:0|unanswered:wrong|runs:all|baselines:beside|ties:shared|certainty:yes|seed:1|drawn:items|gold:30:48ec395a2fa9|submissions:3:f5b08c5d73a0|version:0.1.0","items":30,"labels":["no","perhaps","yes"],"label_names":{"no":"no","perhaps":"perhaps","yes":"yes"},"scale":[],"rest_label":null,"other_label":null,"kind":"classes","units":30,"gold_items":{"no":10,"perhaps":10,"yes":10},"official_metric":"accuracy","policies":{"missing":"wrong","unusable":"wrong","extra":"reject","duplicates":"reject","runs":"all","baselines":"beside","skipped":"left-out","gold_copy":"refuse"},"chosen_runs":[],"assumptions":["task.toml states no title: the title is the folder''s name.","The label set is taken from gold, in sorted order: “no”, “perhaps” and “yes”.","gold.csv: comma-separated, header; column “id” holds the ids, column “label” the labels.","3 submissions: comma-separated, header; column “id” holds the ids, column “label” the labels."],"teams":["team0","team1","team2"],"entries":[{"name":"team0","team":"team0","run":null,"role":"primary","competes":true,"missing":0,"unusable":0,"runs":[{"run":null,"role":"primary","file":"submissions/team0.csv"}],"items_scored":30,"affiliation":null,"paper":null},{"name":"team1","team":"team1","run":null,"role":"primary","competes":true,"missing":0,"unusable":0,"runs":[{"run":null,"role":"primary","file":"submissions/team1.csv"}],"items_scored":30,"affiliation":null,"paper":null},{"name":"team2","team":"team2","run":null,"role":"primary","competes":true,"missing":0,"unusable":0,"runs":[{"run":null,"role":"primary","file":"submissions/team2.csv"}],"items_scored":30,"affiliation":null,"paper":null}],"uncounted_runs":[],"scores":{"accuracy":{"team0":0.6666666666666666,"team1":0.7333333333333333,"team2":0.8},"macro_recall":{"team0":0.6666666666666666,"team1":0.7333333333333334,"team2":0.8000000000000002},"geometric_macro_recall":{"team0":0.0,"team1":0.7318611420045943,"team2":0.8},"harmonic_macro_recall":{"team0":0.0,"team1":0.7304347826086955,"team2":0.8},"macro_precision":{"team0":0.5,"team1":0.7350168350168351,"team2":0.8000000000000002},"averaged_f1":{"team0":0.5555555555555555,"team1":0.7329156223893065,"team2":0.8000000000000002},"f1_of_averages":{"team0":0.5714285714285715,"team1":0.7341741190858366,"team2":0.8000000000000002},"weighted_f1":{"team0":0.5555555555555555,"team1":0.7329156223893065,"team2":0.8},"kappa":{"team0":0.5,"team1":0.6,"team2":0.7},"mcc":{"team0":0.6123724356957946,"team1":0.6010025069647601,"team2":0.7},"recall[no]":{"team0":0.0,"team1":0.7,"team2":0.8},"recall[perhaps]":{"team0":1.0,"team1":0.7,"team2":0.8},"recall[yes]":{"team0":1.0,"team1":0.8,"team2":0.8},"precision[no]":{"team0":0.0,"team1":0.7777777777777778,"team2":0.8},"precision[perhaps]":{"team0":0.5,"team1":0.7,"team2":0.8},"precision[yes]":{"team0":1.0,"team1":0.7272727272727273,"team2":0.8},"f1[no]":{"team0":0.0,"team1":0.7368421052631579,"team2":0.8},"f1[perhaps]":{"team0":0.6666666666666666,"team1":0.7,"team2":0.8},"f1[yes]":{"team0":1.0,"team1":0.7619047619047619,"team2":0.8},"accuracy~":{"team0":0.6666666666666666,"team1":0.7333333333333333,"team2":0.8},"macro_recall~":{"team0":0.6666666666666666,"team1":0.7333333333333334,"team2":0.8000000000000002},"geometric_macro_recall~":{"team0":0.0,"team1":0.7318611420045943,"team2":0.8},"harmonic_macro_recall~":{"team0":0.0,"team1":0.7304347826086955,"team2":0.8},"macro_precision~":{"team0":0.5,"team1":0.7350168350168351,"team2":0.8000000000000002},"averaged_f1~":{"team0":0.5555555555555555,"team1":0.7329156223893065,"team2":0.8000000000000002},"f1_of_averages~":{"team0":0.5714285714285715,"team1":0.7341741190858366,"team2":0.8000000000000002},"weighted_f1~":{"team0":0.5555555555555555,"team1":0.7329156223893065,"team2":0.8},"kappa~":{"team0":0.5,"team1":0.6,"team2":0.7},"mcc~":{"team0":0.6123724356957946,"team1":0.6010025069647601,"team2":0.7},"recall[no]~":{"team0":0.0,"team1":0.7,"team2":0.8},"recall[perhaps]~":{"team0":1.0,"team1":0.7,"team2":0.8},"recall[yes]~":{"team0":1.0,"team1":0.8,"team2":0.8},"precision[no]~":{"team0":0.0,"team1":0.7777777777777778,"team2":0.8},"precision[perhaps]~":{"team0":0.5,"team1":0.7,"team2":0.8},"precision[yes]~":{"team0":1.0,"team1":0.7272727272727273,"team2":0.8},"f1[no]~":{"team0":0.0,"team1":0.7368421052631579,"team2":0.8},"f1[perhaps]~":{"team0":0.6666666666666666,"team1":0.7,"team2":0.8},"f1[yes]~":{"team0":1.0,"team1":0.7619047619047619,"team2":0.8}},"ranks":{"accuracy":{"team0":3,"team1":2,"team2":1},"macro_recall":{"team0":3,"team1":2,"team2":1},"geometric_macro_recall":{"team0":3,"team1":2,"team2":1},"harmonic_macro_recall":{"team0":3,"team1":2,"team2":1},"macro_precision":{"team0":3,"team1":2,"team2":1},"averaged_f1":{"team0":3,"team1":2,"team2":1},"f1_of_averages":{"team0":3,"team1":2,"team2":1},"weighted_f1":{"team0":3,"team1":2,"team2":1},"kappa":{"team0":3,"team1":2,"team2":1},"mcc":{"team0":2,"team1":3,"team2":1},"recall[no]":{"team0":3,"team1":2,"team2":1},"recall[perhaps]":{"team0":1,"team1":3,"team2":2},"recall[yes]":{"team0":1,"team1":2,"team2":2},"precision[no]":{"team0":3,"team1":2,"team2":1},"precision[perhaps]":{"team0":3,"team1":2,"team2":1},"precision[yes]":{"team0":1,"team1":3,"team2":2},"f1[no]":{"team0":3,"team1":2,"team2":1},"f1[perhaps]":{"team0":3,"team1":2,"team2":1},"f1[yes]":{"team0":1,"team1":3,"team2":2},"accuracy~":{"team0":3,"team1":2,"team2":1},"macro_recall~":{"team0":3,"team1":2,"team2":1},"geometric_macro_recall~":{"team0":3,"team1":2,"team2":1},"harmonic_macro_recall~":{"team0":3,"team1":2,"team2":1},"macro_precision~":{"team0":3,"team1":2,"team2":1},"averaged_f1~":{"team0":3,"team1":2,"team2":1},"f1_of_averages~":{"team0":3,"team1":2,"team2":1},"weighted_f1~":{"team0":3,"team1":2,"team2":1},"kappa~":{"team0":3,"team1":2,"team2":1},"mcc~":{"team0":2,"team1":3,"team2":1},"recall[no]~":{"team0":3,"team1":2,"team2":1},"recall[perhaps]~":{"team0":1,"team1":3,"team2":2},"recall[yes]~":{"team0":1,"team1":2,"team2":2},"precision[no]~":{"team0":3,"team1":2,"team2":1},"precision[perhaps]~":{"team0":3,"team1":2,"team2":1},"precision[yes]~":{"team0":1,"team1":3,"team2":2},"f1[no]~":{"team0":3,"team1":2,"team2":1},"f1[perhaps]~":{"team0":3,"team1":2,"team2":1},"f1[yes]~":{"team0":1,"team1":3,"team2":2}},"spread_over_classes":[{"metric":"macro_recall","standard_deviation":{"team0":0.4714045207910317,"team1":0.047140452079103216,"team2":1.1102230246251565e-16},"lowest":{"team0":0.0,"team1":0.7,"team2":0.8},"highest":{"team0":1.0,"team1":0.8,"team2":0.8}},{"metric":"macro_precision","standard_deviation":{"team0":0.408248290463863,"team1":0.03222136022968418,"team2":1.1102230246251565e-16},"lowest":{"team0":0.0,"team1":0.7,"team2":0.8},"highest":{"team0":1.0,"team1":0.7777777777777778,"team2":0.8}},{"metric":"averaged_f1","standard_deviation":{"team0":0.41573970964154905,"team1":0.02542456603943387,"team2":1.1102230246251565e-16},"lowest":{"team0":0.0,"team1":0.7,"team2":0.8},"highest":{"team0":1.0,"team1":0.7619047619047619,"team2":0.8}},{"metric":"macro_recall~","standard_deviation":{"team0":0.4714045207910317,"team1":0.047140452079103216,"team2":1.1102230246251565e-16},"lowest":{"team0":0.0,"team1":0.7,"team2":0.8},"highest":{"team0":1.0,"team1":0.8,"team2":0.8}},{"metric":"macro_precision~","standard_deviation":{"team0":0.408248290463863,"team1":0.03222136022968418,"team2":1.1102230246251565e-16},"lowest":{"team0":0.0,"team1":0.7,"team2":0.8},"highest":{"team0":1.0,"team1":0.7777777777777778,"team2":0.8}},{"metric":"averaged_f1~","standard_deviation":{"team0":0.41573970964154905,"team1":0.02542456603943387,"team2":1.1102230246251565e-16},"lowest":{"team0":0.0,"team1":0.7,"team2":0.8},"highest":{"team0":1.0,"team1":0.7619047619047619,"team2":0.8}}],"baselines":[{"slug":"majority","title":"Majority class","explanation":"Gives every item the most frequent label of gold, which is no system.","scores":{"accuracy":0.3333333333333333,"macro_recall":0.3333333333333333,"geometric_macro_recall":0.0,"harmonic_macro_recall":0.0,"macro_precision":0.1111111111111111,"averaged_f1":0.16666666666666666,"f1_of_averages":0.16666666666666666,"weighted_f1":0.16666666666666666,"kappa":0.0,"mcc":0.0,"recall[no]":1.0,"recall[perhaps]":0.0,"recall[yes]":0.0,"precision[no]":0.3333333333333333,"precision[perhaps]":0.0,"precision[yes]":0.0,"f1[no]":0.5,"f1[perhaps]":0.0,"f1[yes]":0.0,"accuracy~":0.3333333333333333,"macro_recall~":0.3333333333333333,"geometric_macro_recall~":0.0,"harmonic_macro_recall~":0.0,"macro_precision~":0.1111111111111111,"averaged_f1~":0.16666666666666666,"f1_of_averages~":0.16666666666666666,"weighted_f1~":0.16666666666666666,"kappa~":0.0,"mcc~":0.0,"recall[no]~":1.0,"recall[perhaps]~":0.0,"recall[yes]~":0.0,"precision[no]~":0.3333333333333333,"precision[perhaps]~":0.0,"precision[yes]~":0.0,"f1[no]~":0.5,"f1[perhaps]~":0.0,"f1[yes]~":0.0},"monte_carlo_errors":{"accuracy":0.0,"macro_recall":0.0,"geometric_macro_recall":0.0,"harmonic_macro_recall":0.0,"macro_precision":0.0,"averaged_f1":0.0,"f1_of_averages":0.0,"weighted_f1":0.0,"kappa":0.0,"mcc":0.0,"recall[no]":0.0,"recall[perhaps]":0.0,"recall[yes]":0.0,"precision[no]":0.0,"precision[perhaps]":0.0,"precision[yes]":0.0,"f1[no]":0.0,"f1[perhaps]":0.0,"f1[yes]":0.0,"accuracy~":0.0,"macro_recall~":0.0,"geometric_macro_recall~":0.0,"harmonic_macro_recall~":0.0,"macro_precision~":0.0,"averaged_f1~":0.0,"f1_of_averages~":0.0,"weighted_f1~":0.0,"kappa~":0.0,"mcc~":0.0,"recall[no]~":0.0,"recall[perhaps]~":0.0,"recall[yes]~":0.0,"precision[no]~":0.0,"precision[perhaps]~":0.0,"precision[yes]~":0.0,"f1[no]~":0.0,"f1[perhaps]~":0.0,"f1[yes]~":0.0}},{"slug":"uniform","title":"Uniform random","explanation":"Draws each label from the classes in gold alike. Expected scores: exact where there is a closed form, else the mean of seeded draws with its standard error.","scores":{"accuracy":0.3333333333333333,"macro_recall":0.3333333333333333,"geometric_macro_recall":0.30098876669792757,"harmonic_macro_recall":0.2808380056561502,"macro_precision":0.3333315949683164,"averaged_f1":0.32759012539876864,"f1_of_averages":0.33256989511058493,"weighted_f1":0.32759012539876864,"kappa":0.0,"mcc":0.0,"recall[no]":0.3333333333333333,"recall[perhaps]":0.3333333333333333,"recall[yes]":0.3333333333333333,"precision[no]":0.3333315949683164,"precision[perhaps]":0.3333315949683164,"precision[yes]":0.3333315949683164,"f1[no]":0.32759012539876864,"f1[perhaps]":0.32759012539876864,"f1[yes]":0.32759012539876864,"accuracy~":0.3333333333333333,"macro_recall~":0.3333333333333333,"geometric_macro_recall~":0.30098876669792757,"harmonic_macro_recall~":0.2808380056561502,"macro_precision~":0.3333315949683164,"averaged_f1~":0.32759012539876864,"f1_of_averages~":0.33256989511058493,"weighted_f1~":0.32759012539876864,"kappa~":0.0,"mcc~":0.0,"recall[no]~":0.3333333333333333,"recall[perhaps]~":0.3333333333333333,"recall[yes]~":0.3333333333333333,"precision[no]~":0.3333315949683164,"precision[perhaps]~":0.3333315949683164,"precision[yes]~":0.3333315949683164,"f1[no]~":0.32759012539876864,"f1[perhaps]~":0.32759012539876864,"f1[yes]~":0.32759012539876864},"monte_carlo_errors":{"accuracy":0.0,"macro_recall":0.0,"geometric_macro_recall":0.0,"harmonic_macro_recall":0.00110666064304673,"macro_precision":0.0,"averaged_f1":0.0,"f1_of_averages":0.0008866740911425335,"weighted_f1":0.0,"kappa":0.0,"mcc":0.0,"recall[no]":0.0,"recall[perhaps]":0.0,"recall[yes]":0.0,"precision[no]":0.0,"precision[perhaps]":0.0,"precision[yes]":0.0,"f1[no]":0.0,"f1[perhaps]":0.0,"f1[yes]":0.0,"accuracy~":0.0,"macro_recall~":0.0,"geometric_macro_recall~":0.0,"harmonic_macro_recall~":0.00110666064304673,"macro_precision~":0.0,"averaged_f1~":0.0,"f1_of_averages~":0.0008866740911425335,"weighted_f1~":0.0,"kappa~":0.0,"mcc~":0.0,"recall[no]~":0.0,"recall[perhaps]~":0.0,"recall[yes]~":0.0,"precision[no]~":0.0,"precision[perhaps]~":0.0,"precision[yes]~":0.0,"f1[no]~":0.0,"f1[perhaps]~":0.0,"f1[yes]~":0.0}},{"slug":"prevalence","title":"Random by prevalence","explanation":"Draws each label as often as gold has it. Expected scores: exact where there is a closed form, else the mean of seeded draws with its standard error.","scores":{"accuracy":0.3333333333333333,"macro_recall":0.3333333333333333,"geometric_macro_recall":0.30098876669792757,"harmonic_macro_recall":0.2808380056561502,"macro_precision":0.3333315949683164,"averaged_f1":0.32759012539876864,"f1_of_averages":0.33256989511058493,"weighted_f1":0.32759012539876864,"kappa":0.0,"mcc":0.0,"recall[no]":0.3333333333333333,"recall[perhaps]":0.3333333333333333,"recall[yes]":0.3333333333333333,"precision[no]":0.3333315949683164,"precision[perhaps]":0.3333315949683164,"precision[yes]":0.3333315949683164,"f1[no]":0.32759012539876864,"f1[perhaps]":0.32759012539876864,"f1[yes]":0.32759012539876864,"accuracy~":0.3333333333333333,"macro_recall~":0.3333333333333333,"geometric_macro_recall~":0.30098876669792757,"harmonic_macro_recall~":0.2808380056561502,"macro_precision~":0.3333315949683164,"averaged_f1~":0.32759012539876864,"f1_of_averages~":0.33256989511058493,"weighted_f1~":0.32759012539876864,"kappa~":0.0,"mcc~":0.0,"recall[no]~":0.3333333333333333,"recall[perhaps]~":0.3333333333333333,"recall[yes]~":0.3333333333333333,"precision[no]~":0.3333315949683164,"precision[perhaps]~":0.3333315949683164,"precision[yes]~":0.3333315949683164,"f1[no]~":0.32759012539876864,"f1[perhaps]~":0.32759012539876864,"f1[yes]~":0.32759012539876864},"monte_carlo_errors":{"accuracy":0.0,"macro_recall":0.0,"geometric_macro_recall":0.0,"harmonic_macro_recall":0.00110666064304673,"macro_precision":0.0,"averaged_f1":0.0,"f1_of_averages":0.0008866740911425335,"weighted_f1":0.0,"kappa":0.0,"mcc":0.0,"recall[no]":0.0,"recall[perhaps]":0.0,"recall[yes]":0.0,"precision[no]":0.0,"precision[perhaps]":0.0,"precision[yes]":0.0,"f1[no]":0.0,"f1[perhaps]":0.0,"f1[yes]":0.0,"accuracy~":0.0,"macro_recall~":0.0,"geometric_macro_recall~":0.0,"harmonic_macro_recall~":0.00110666064304673,"macro_precision~":0.0,"averaged_f1~":0.0,"f1_of_averages~":0.0008866740911425335,"weighted_f1~":0.0,"kappa~":0.0,"mcc~":0.0,"recall[no]~":0.0,"recall[perhaps]~":0.0,"recall[yes]~":0.0,"precision[no]~":0.0,"precision[perhaps]~":0.0,"precision[yes]~":0.0,"f1[no]~":0.0,"f1[perhaps]~":0.0,"f1[yes]~":0.0}},{"slug":"oracle","title":"Oracle of the 3 best teams","explanation":"Right where any of the 3 best teams is, each with its best run by the ranking metric; elsewhere the best team’s answer. It knows gold: choosing between these teams could be right no more often. Here: team2, team1 and team0.","scores":{"accuracy":0.9666666666666667,"macro_recall":0.9666666666666667,"geometric_macro_recall":0.9654893846056297,"harmonic_macro_recall":0.9642857142857143,"macro_precision":0.9696969696969697,"averaged_f1":0.9665831244778612,"f1_of_averages":0.9681794470526864,"weighted_f1":0.9665831244778613,"kappa":0.95,"mcc":0.9515873026942034,"recall[no]":0.9,"recall[perhaps]":1.0,"recall[yes]":1.0,"precision[no]":1.0,"precision[perhaps]":0.9090909090909091,"precision[yes]":1.0,"f1[no]":0.9473684210526315,"f1[perhaps]":0.9523809523809523,"f1[yes]":1.0,"accuracy~":0.9666666666666667,"macro_recall~":0.9666666666666667,"geometric_macro_recall~":0.9654893846056297,"harmonic_macro_recall~":0.9642857142857143,"macro_precision~":0.9696969696969697,"averaged_f1~":0.9665831244778612,"f1_of_averages~":0.9681794470526864,"weighted_f1~":0.9665831244778613,"kappa~":0.95,"mcc~":0.9515873026942034,"recall[no]~":0.9,"recall[perhaps]~":1.0,"recall[yes]~":1.0,"precision[no]~":1.0,"precision[perhaps]~":0.9090909090909091,"precision[yes]~":1.0,"f1[no]~":0.9473684210526315,"f1[perhaps]~":0.9523809523809523,"f1[yes]~":1.0},"monte_carlo_errors":{"accuracy":0.0,"macro_recall":0.0,"geometric_macro_recall":0.0,"harmonic_macro_recall":0.0,"macro_precision":0.0,"averaged_f1":0.0,"f1_of_averages":0.0,"weighted_f1":0.0,"kappa":0.0,"mcc":0.0,"recall[no]":0.0,"recall[perhaps]":0.0,"recall[yes]":0.0,"precision[no]":0.0,"precision[perhaps]":0.0,"precision[yes]":0.0,"f1[no]":0.0,"f1[perhaps]":0.0,"f1[yes]":0.0,"accuracy~":0.0,"macro_recall~":0.0,"geometric_macro_recall~":0.0,"harmonic_macro_recall~":0.0,"macro_precision~":0.0,"averaged_f1~":0.0,"f1_of_averages~":0.0,"weighted_f1~":0.0,"kappa~":0.0,"mcc~":0.0,"recall[no]~":0.0,"recall[perhaps]~":0.0,"recall[yes]~":0.0,"precision[no]~":0.0,"precision[perhaps]~":0.0,"precision[yes]~":0.0,"f1[no]~":0.0,"f1[perhaps]~":0.0,"f1[yes]~":0.0}}],"agreement":{"metrics":["accuracy","macro_recall","geometric_macro_recall","harmonic_macro_recall","macro_precision","averaged_f1","f1_of_averages","weighted_f1","kappa","mcc","recall[no]","recall[perhaps]","recall[yes]","accuracy~","macro_recall~","geometric_macro_recall~","harmonic_macro_recall~","macro_precision~","averaged_f1~","f1_of_averages~","weighted_f1~","kappa~","mcc~"],"spearman":[[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,1.0,0.5,0.5,0.0,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,0.5,-0.5,1.0,0.8660254037844387,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,-0.5,0.5],[-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,0.0,-0.8660254037844387,0.8660254037844387,1.0,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,-0.8660254037844387,0.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5,1.0,-0.5,-0.8660254037844387,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.5],[0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,1.0,0.5,0.5,0.0,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,1.0]],"kendall_tau_b":[[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,1.0,0.3333333333333333,0.3333333333333333,0.0,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,0.3333333333333333,-0.3333333333333333,1.0,0.8164965809277261,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,-0.3333333333333333,0.3333333333333333],[-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,0.0,-0.8164965809277261,0.8164965809277261,1.0,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,-0.8164965809277261,0.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333,1.0,-0.3333333333333333,-0.8164965809277261,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,0.3333333333333333],[0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,1.0,0.3333333333333333,0.3333333333333333,0.0,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333,1.0]],"equal_by_identity":[[true,true,false,false,false,false,false,false,true,false,false,false,false,true,true,false,false,false,false,false,false,true,false],[true,true,false,false,false,false,false,false,true,false,false,false,false,true,true,false,false,false,false,false,false,true,false],[false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false],[false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false],[false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false],[false,false,false,false,false,true,false,true,false,false,false,false,false,false,false,false,false,false,true,false,true,false,false],[false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false],[false,false,false,false,false,true,false,true,false,false,false,false,false,false,false,false,false,false,true,false,true,false,false],[true,true,false,false,false,false,false,false,true,false,false,false,false,true,true,false,false,false,false,false,false,true,false],[false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true],[false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false],[false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false],[false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false],[true,true,false,false,false,false,false,false,true,false,false,false,false,true,true,false,false,false,false,false,false,true,false],[true,true,false,false,false,false,false,false,true,false,false,false,false,true,true,false,false,false,false,false,false,true,false],[false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false],[false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false],[false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false,false,false],[false,false,false,false,false,true,false,true,false,false,false,false,false,false,false,false,false,false,true,false,true,false,false],[false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true,false,false,false],[false,false,false,false,false,true,false,true,false,false,false,false,false,false,false,false,false,false,true,false,true,false,false],[true,true,false,false,false,false,false,false,true,false,false,false,false,true,true,false,false,false,false,false,false,true,false],[false,false,false,false,false,false,false,false,false,true,false,false,false,false,false,false,false,false,false,false,false,false,true]]},"verdict":{"claim":"open","sentence":"team2 ranks first with an accuracy of .800, but its lead is not statistically significant.","more":"The lead over team1, in second place, is .067 (95% CI −.181 to .314, adjusted p = .77). Two other teams may be equally good or better (95% confidence set for the best team).","winners":["team2"],"could_be_best":["team2","team1","team0"],"depends_on":[{"choice":"macro-f1","state":"same-not-shown","first":"team2 wins under F1 of averages, too; 2 other teams may be equally good or better there","reason":"","sentence":"Macro F1, if it ranked: same winner, not significant: team2 wins under F1 of averages, too; 2 other teams may be equally good or better there."},{"choice":"metric","state":"same-not-shown","first":"team2 wins under each of nine other metrics, too","reason":"","sentence":"Metric: same winner, not significant: team2 wins under each of nine other metrics, too."},{"choice":"prevalence","state":"same-not-shown","first":"team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there","reason":"","sentence":"Class distribution: same winner, not significant: team2 wins under accuracy with balanced classes, too; 2 other teams may be equally good or better there."},{"choice":"rounding","state":"same-not-shown","first":"team2 wins with scores rounded to 3 decimals, too","reason":"","sentence":"Ties and rounding: same winner, not significant: team2 wins with scores rounded to 3 decimals, too."}],"to_do":[{"about":"rare-class","text":"Report the small size of classes “no” (10 items), “perhaps” (10 items) and “yes” (10 items)."}]},"certainty":{"seed":1,"groups":null,"groups_of_one_size":null,"stratified":false,"intervals":{"scores":{"accuracy":{"team0":[0.4878005164454384,0.8076950191632386],"team1":[0.555520383048111,0.8581733668040368],"team2":[0.6269430358685175,0.9049489282271013]},"macro_recall":{"team0":[0.587805473967957,0.7371860011293112],"team1":[0.5359520954783248,0.8675128689628253],"team2":[0.6057993066087781,0.912368234462271]},"geometric_macro_recall":{"team0":[0.0,0.6522860725573913],"team1":[0.5328789492840862,0.867204653195415],"team2":[0.6057993066087779,0.9123682344622708]},"harmonic_macro_recall":{"team0":[0.0,0.6522860725573913],"team1":[0.5293310114680061,0.8671740733512949],"team2":[0.605799306608778,0.9123682344622707]},"macro_precision":{"team0":[0.38591815969411064,0.9116686330354837],"team1":[0.536792193227637,0.8690993667212658],"team2":[0.6057993066087781,0.912368234462271]},"averaged_f1":{"team0":[0.4497210915905785,0.7123444829151714],"team1":[0.5347218780309191,0.8675905058770652],"team2":[0.6057993066087781,0.912368234462271]},"f1_of_averages":{"team0":[0.4788021121203729,0.8690387367296022],"team1":[0.536513433806121,0.8682410442904036],"team2":[0.6057993066087781,0.912368234462271]},"weighted_f1":{"team0":[0.3491105782003938,0.7444520072491569],"team1":[0.5341422795850319,0.8678578765057656],"team2":[0.6057993066087779,0.9123682344622708]},"kappa":{"team0":[0.2657714747440596,0.6784863874944831],"team1":[0.28799178252878965,0.7968486968290378],"team2":[0.39693085030850916,0.8654348647664909]},"mcc":{"team0":[0.40776190029878023,0.758423385990949],"team1":[0.2893426308754199,0.797454627650322],"team2":[0.39693085030850916,0.8654348647664909]},"recall[no]":{"team0":[0.0,0.2775327998628892],"team1":[0.39677814746114537,0.8922087325936989],"team2":[0.49016247153664183,0.9644638489301338]},"recall[perhaps]":{"team0":[0.7224672001371107,1.0],"team1":[0.39677814746114537,0.8922087325936989],"team2":[0.49016247153664183,0.9644638489301338]},"recall[yes]":{"team0":[0.7224672001371107,1.0],"team1":[0.49016247153664183,0.9644638489301338],"team2":[0.49016247153664183,0.9644638489301338]},"precision[no]":{"team0":[0.0,1.0],"team1":[0.45258896910698887,0.9605153877001487],"team2":[0.49016247153664183,0.9644638489301338]},"precision[perhaps]":{"team0":[0.2992980081982123,0.7007019918017877],"team1":[0.39677814746114537,0.8922087325936989],"team2":[0.49016247153664183,0.9644638489301338]},"precision[yes]":{"team0":[0.7224672001371107,1.0],"team1":[0.43435469882387084,0.902539407099751],"team2":[0.49016247153664183,0.9644638489301338]},"f1[no]":{"team0":[0.0,0.43448246478317476],"team1":[0.4842873410947761,0.8930336699194779],"team2":[0.5617947420775218,0.9258168636815234]},"f1[perhaps]":{"team0":[0.46070725316243755,0.8240150187152279],"team1":[0.4513386888354009,0.8687394554665021],"team2":[0.5617947420775218,0.9258168636815234]},"f1[yes]":{"team0":[0.8388748419471805,1.0],"team1":[0.5242345572201105,0.9028488704263254],"team2":[0.5617947420775218,0.9258168636815234]},"accuracy~":{"team0":[0.587805473967957,0.7371860011293112],"team1":[0.5359520954783246,0.8675128689628253],"team2":[0.6057993066087779,0.9123682344622708]},"macro_recall~":{"team0":[0.587805473967957,0.7371860011293112],"team1":[0.5359520954783248,0.8675128689628253],"team2":[0.6057993066087781,0.912368234462271]},"geometric_macro_recall~":{"team0":[0.0,0.6522860725573913],"team1":[0.5328789492840863,0.8672046531954148],"team2":[0.6057993066087779,0.9123682344622708]},"harmonic_macro_recall~":{"team0":[0.0,0.6522860725573913],"team1":[0.5293310114680061,0.8671740733512949],"team2":[0.605799306608778,0.9123682344622707]},"macro_precision~":{"team0":[0.4272088172009326,0.8897097050234319],"team1":[0.5369667587508118,0.8690194732356704],"team2":[0.6057993066087781,0.912368234462271]},"averaged_f1~":{"team0":[0.48602117009720713,0.7076149179189579],"team1":[0.5349281820779577,0.8674952161713672],"team2":[0.6057993066087781,0.912368234462271]},"f1_of_averages~":{"team0":[0.4986194163971324,0.8556553510597019],"team1":[0.5365570240361971,0.8682209892897249],"team2":[0.6057993066087781,0.912368234462271]},"weighted_f1~":{"team0":[0.48602117009720713,0.7076149179189579],"team1":[0.5349281820779577,0.8674952161713672],"team2":[0.6057993066087779,0.9123682344622708]},"kappa~":{"team0":[0.38031073659310954,0.6032172654443471],"team1":[0.2889009864165393,0.7964864023944453],"team2":[0.39693085030850916,0.8654348647664909]},"mcc~":{"team0":[0.46198305415057916,0.7285299800630076],"team1":[0.2899806406877605,0.7972009350579801],"team2":[0.39693085030850916,0.8654348647664909]},"recall[no]~":{"team0":[0.0,0.2775327998628892],"team1":[0.39677814746114537,0.8922087325936989],"team2":[0.49016247153664183,0.9644638489301338]},"recall[perhaps]~":{"team0":[0.7224672001371107,1.0],"team1":[0.39677814746114537,0.8922087325936989],"team2":[0.49016247153664183,0.9644638489301338]},"recall[yes]~":{"team0":[0.7224672001371107,1.0],"team1":[0.49016247153664183,0.9644638489301338],"team2":[0.49016247153664183,0.9644638489301338]},"precision[no]~":{"team0":[0.0,1.0],"team1":[0.47971813087451687,0.9300005604794899],"team2":[0.5172693369576938,0.9372319074027654]},"precision[perhaps]~":{"team0":[0.42786373046523474,0.5721362695347653],"team1":[0.4337901729808722,0.8766410810537915],"team2":[0.5172693369576938,0.9372319074027654]},"precision[yes]~":{"team0":[0.7372407301065876,1.0],"team1":[0.47421402125050305,0.8874439465447748],"team2":[0.5172693369576938,0.9372319074027654]},"f1[no]~":{"team0":[0.0,0.4344824647831747],"team1":[0.46635928370883034,0.8997098916065107],"team2":[0.5464956041930251,0.9299595019640656]},"f1[perhaps]~":{"team0":[0.5723533983836171,0.7492910688368164],"team1":[0.44078172291627704,0.8735353529058666],"team2":[0.5464956041930251,0.9299595019640656]},"f1[yes]~":{"team0":[0.8210421147040372,1.0],"team1":[0.5205556584210678,0.9041345564439358],"team2":[0.5464956041930251,0.9299595019640656]}},"upper_if_never":{"macro_precision":{"team0":0.6054884173358286},"f1_of_averages":{"team0":0.6566168260461934},"macro_precision~":{"team0":0.5701628719688446},"f1_of_averages~":{"team0":0.639909916405294}},"marks":{},"gap_upper":{"team0":0.2800215832343506,"team1":0.06187465572323756,"team2":0.041362154062549644},"gap_marks":{}},"ungrouped":null,"comparisons":[{"metric":"accuracy","draws":4000,"critical_value":2.3493528366088867,"leader":"team2","corrected_intervals":{"team2":[0.5846820111355333,0.9049489282271013]},"could_be_best":["team0","team1","team2"],"possible_ranks":{"team0":[1,3],"team1":[1,3],"team2":[1,3]},"standard_error":[[0.0,0.11547005383792475,0.11547005383792476],[0.0,0.10540925533894561],[0.0]],"adjusted_p":[[1.0,0.7675581104723819,0.49687578105473634],[1.0,0.7675581104723819],[1.0]],"difference_lower":[[0.0,-0.33794656519417604,-0.4046132318608428],[0.0,-0.3143101997020491],[0.0]],"difference_upper":[[-0.0,0.20461323186084274,0.13794656519417597],[-0.0,0.18097686636871554],[-0.0]],"against_best":[],"uncertain":[],"ahead_of":{"team0":[],"team1":[],"team2":[]},"ahead_given_never_predicted":{"team0":[],"team1":[],"team2":[]}},{"metric":"averaged_f1","draws":4000,"critical_value":2.3515889644622803,"leader":"team2","corrected_intervals":{"team2":[0.5589179508744003,0.912368234462271]},"could_be_best":["team0","team1","team2"],"possible_ranks":{"team0":[1,3],"team1":[1,3],"team2":[1,3]},"standard_error":[[0.0,0.15786039695921233,0.13638133595038052],[0.0,0.10614520993414776],[0.0]],"adjusted_p":[[1.0,0.39965008747813047,0.1664583854036491],[1.0,0.5361159710072482],[1.0]],"difference_lower":[[0.0,-0.5485828342486696,-0.5651572890239824],[0.0,-0.3166942819223675],[0.0]],"difference_upper":[[-0.0,0.19386270058116756,0.076268400135093],[-0.0,0.18252552670098024],[-0.0]],"against_best":[],"uncertain":[],"ahead_of":{"team0":[],"team1":[],"team2":[]},"ahead_given_never_predicted":{"team0":[],"team1":[],"team2":[]}},{"metric":"f1_of_averages","draws":4000,"critical_value":2.349466323852539,"leader":"team2","corrected_intervals":{"team2":[0.5589243310500676,0.912368234462271]},"could_be_best":["team0","team1","team2"],"possible_ranks":{"team0":[1,3],"team1":[1,3],"team2":[1,3]},"standard_error":[[0.0,0.14376601918051451,0.11427693009251137],[0.0,0.10523072274981718],[0.0]],"adjusted_p":[[1.0,1.0,0.8512871782054486],[1.0,0.8095476130967258],[1.0]],"difference_lower":[[0.0,-0.5005189682362221,-0.49706122741703496],[0.0,-0.3130619202495223],[0.0]],"difference_upper":[[-0.0,0.3443400422338612,0.20923053958634696],[-0.0,0.1814101584211952],[-0.0]],"against_best":[],"uncertain":[],"ahead_of":{"team0":[],"team1":[],"team2":[]},"ahead_given_never_predicted":{"team0":[],"team1":[],"team2":[]}},{"metric":"accuracy~","draws":4000,"critical_value":2.327524185180664,"leader":"team2","corrected_intervals":{"team2":[0.5750313139425681,0.9123682344622708]},"could_be_best":["team0","team1","team2"],"possible_ranks":{"team0":[1,3],"team1":[1,3],"team2":[1,3]},"standard_error":[[0.0,0.11547005383792495,0.115470053837925],[0.0,0.10540925533894561],[0.0]],"adjusted_p":[[1.0,0.7175706073481629,0.4753811547113222],[1.0,0.7175706073481629],[1.0]],"difference_lower":[[0.0,-0.33542600963855035,-0.4020926763052172],[0.0,-0.3120092578099467],[0.0]],"difference_upper":[[-0.0,0.20209267630521704,0.1354260096385504],[-0.0,0.17867592447661318],[-0.0]],"against_best":[],"uncertain":[],"ahead_of":{"team0":[],"team1":[],"team2":[]},"ahead_given_never_predicted":{"team0":[],"team1":[],"team2":[]}}],"changes":[{"kind":"macro-f1","sides":[{"metric":"averaged_f1","first":["team2"]},{"metric":"f1_of_averages","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.8095476130967258},{"kind":"prevalence","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"accuracy~","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.7175706073481629},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"macro_recall","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.7175706073481629},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"geometric_macro_recall","first":["team2"]}],"state":"same-not-shown","could_be_best":["team1","team2"],"adjusted_p":0.5263684078980255},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"harmonic_macro_recall","first":["team2"]}],"state":"same-not-shown","could_be_best":["team1","team2"],"adjusted_p":0.5243689077730568},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"macro_precision","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.8185453636590853},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"averaged_f1","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.5361159710072482},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"f1_of_averages","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.8095476130967258},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"weighted_f1","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.5348662834291427},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"kappa","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.7475631092226943},{"kind":"metric","sides":[{"metric":"accuracy","first":["team2"]},{"metric":"mcc","first":["team2"]}],"state":"same-not-shown","could_be_best":["team0","team1","team2"],"adjusted_p":0.7475631092226943}]},"power":[{"key":"accuracy","first":"team2","second":"team1","difference":0.06666666666666676,"standard_error":0.10540925533894561,"critical_value":2.3493528366088867,"median_error":0.11547005383792475,"n_items":30,"carried_by":{"rival":"team1","cells":[[0,0,1,2],[2,2,0,1]]},"n_groups":null},{"key":"averaged_f1","first":"team2","second":"team1","difference":0.06708437761069364,"standard_error":0.10614520993414776,"critical_value":2.3515889644622803,"median_error":0.13638133595038052,"n_items":30,"carried_by":{"rival":"team1","cells":[[0,0,1,1],[2,2,0,1]]},"n_groups":null},{"key":"f1_of_averages","first":"team2","second":"team1","difference":0.06582588091416353,"standard_error":0.10523072274981718,"critical_value":2.349466323852539,"median_error":0.11427693009251137,"n_items":30,"carried_by":{"rival":"team1","cells":[[0,0,1,1],[2,2,0,1]]},"n_groups":null}],"macro_f1":{"base":"averaged_f1","readings_tried":768,"statements":["768 readings of macro F1 were tried; on this campaign they give 22 different tables of scores.","team2 ranks first by macro-averaged F1. The smallest change that has another winner is 1 choice: with the classes in gold but “no”, team0 ranks first. Over all readings there are 2 different winners.","The farthest that one changed choice moves a team: team0, from rank 3 to 1, with the classes in gold but “no”."],"for_the_paper":"Macro F1 denotes macro-averaged F1 over the classes in gold (here 3), on the test set’s own class distribution: the mean of the class F1s; undefined class scores count as 0, and missing items count as wrong.","formula":"\\frac{1}{k} \\sum_{i} \\frac{2\\, P_i R_i}{P_i + R_i}","winners":[{"teams":["team2"],"different_score_tables":18,"nearest_reading":"averaged_f1"},{"teams":["team0"],"different_score_tables":4,"nearest_reading":"averaged_f1(all-but)[no]"}],"nearest_reading_with_another_winner":{"reading":"averaged_f1(all-but)[no]","changed":["named classes"],"winners":["team0"]},"farthest_move_by_one_choice":{"rank":1,"rank_by_base":3,"team":"team0","reading":"averaged_f1(all-but)[no]"},"farthest_move":{"rank":1,"rank_by_base":3,"team":"team0","reading":"averaged_f1(all-but)[no]"},"groups":[{"reading":"averaged_f1","changed":[],"winners":["team2"],"presets":["scikit-learn-f1-macro","scikit-learn-f1-macro-labels","scikit-learn-f1-macro-zero-division-1","scikit-learn-f1-macro-zero-division-nan","torchmetrics-f1-macro","pycm-f1-macro","pyevall-f1","weka-3.6-macro-f","semeval-2018-task-2"],"alike":64},{"reading":"f1_of_averages","changed":["metric"],"winners":["team2"],"presets":["germeval-2018","germeval-2021"],"alike":16},{"reading":"averaged_f1(all-but)[no]","changed":["named classes"],"winners":["team0"],"presets":[],"alike":128},{"reading":"averaged_f1(all-but)[perhaps]","changed":["named classes"],"winners":["team2"],"presets":[],"alike":64},{"reading":"averaged_f1(all-but)[yes]","changed":["named classes"],"winners":["team2"],"presets":[],"alike":64},{"reading":"f1_of_averages(all-but)[no]","changed":["metric","named classes"],"winners":["team0"],"presets":[],"alike":64},{"reading":"f1_of_averages(all-but)[perhaps]","changed":["metric","named classes"],"winners":["team2"],"presets":[],"alike":16},{"reading":"f1_of_averages(all-but)[yes]","changed":["metric","named classes"],"winners":["team2"],"presets":[],"alike":16},{"reading":"f1_of_averages(undefined=1)","changed":["metric","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"f1_of_averages(undefined=dropped)","changed":["metric","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"averaged_f1(undefined=dropped,f1-undefined=one-sided)","changed":["undefined class score","undefined class F1"],"winners":["team0"],"presets":["yardstick-f-macro"],"alike":32},{"reading":"f1_of_averages(undefined=whole)","changed":["metric","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"averaged_f1(undefined=whole,f1-undefined=one-sided)","changed":["undefined class score","undefined class F1"],"winners":["team2"],"presets":["caret-mean-f1","weka-3.8-macro-f"],"alike":32},{"reading":"f1_of_averages(all-but,undefined=1)[perhaps]","changed":["metric","named classes","undefined class score"],"winners":["team2"],"presets":[],"alike":32},{"reading":"f1_of_averages(all-but,undefined=1)[yes]","changed":["metric","named classes","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"f1_of_averages(all-but,undefined=dropped)[yes]","changed":["metric","named classes","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"averaged_f1(all-but,undefined=dropped,f1-undefined=one-sided)[perhaps]","changed":["named classes","undefined class score","undefined class F1"],"winners":["team0"],"presets":[],"alike":32},{"reading":"averaged_f1(all-but,undefined=dropped,f1-undefined=one-sided)[yes]","changed":["named classes","undefined class score","undefined class F1"],"winners":["team2"],"presets":[],"alike":32},{"reading":"f1_of_averages(all-but,undefined=whole)[perhaps]","changed":["metric","named classes","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"f1_of_averages(all-but,undefined=whole)[yes]","changed":["metric","named classes","undefined class score"],"winners":["team2"],"presets":[],"alike":16},{"reading":"averaged_f1(all-but,undefined=whole,f1-undefined=one-sided)[perhaps]","changed":["named classes","undefined class score","undefined class F1"],"winners":["team2"],"presets":[],"alike":32},{"reading":"averaged_f1(all-but,undefined=whole,f1-undefined=one-sided)[yes]","changed":["named classes","undefined class score","undefined class F1"],"winners":["team2"],"presets":[],"alike":32}]},"class_distributions":{"seed":20240416,"concentration":50.0,"metric":"accuracy","draws":2000,"mean_total_variation_nearby":0.07908940344538364,"reference":{"no":0.3333333333333333,"perhaps":0.3333333333333333,"yes":0.3333333333333333},"winners":["team2"],"holds_uniform":{"share":0.627,"monte_carlo_interval":[0.6055810529482901,0.6479320170422715]},"holds_nearby":{"share":0.9875,"monte_carlo_interval":[0.9816119602893495,0.9915189186114289]},"uniform":{"team0":0.373,"team1":0.0,"team2":0.627},"nearby":{"team0":0.0125,"team1":0.0,"team2":0.9875},"nearest_change":{"shares":{"no":0.19999999166650717,"perhaps":0.46666667500015946,"yes":0.3333333333333333},"total_variation":0.13333334166682614,"winners":["team0"]}},"elections":{"metrics":["accuracy","macro_recall","geometric_macro_recall","harmonic_macro_recall","macro_precision","averaged_f1","f1_of_averages","weighted_f1","kappa","mcc"],"rules":[{"assumes":"Only that each metric says which score is better. It leaves open which of the teams on the front is best.","unit":"on the front","rule":"pareto","winners":["team2"],"values":{"team0":null,"team1":null,"team2":1.0}},{"assumes":"Each metric has one vote, however alike two metrics are, and by how much a team leads does not count. There may be no such team.","unit":"beats every other","rule":"condorcet","winners":["team2"],"values":{"team0":null,"team1":null,"team2":1.0}},{"assumes":"As for a Condorcet winner, whom it puts first where there is one; and that every contest weighs the same.","unit":"contests won less lost","rule":"copeland","winners":["team2"],"values":{"team0":-2.0,"team1":0.0,"team2":2.0}},{"assumes":"A step in rank weighs the same anywhere in the ranking and by each metric. Which other teams take part can change the winner.","unit":"points","rule":"borda","winners":["team2"],"values":{"team0":1.0,"team1":9.0,"team2":20.0}},{"assumes":"As for Borda, whose order it is where no teams are level.","unit":"mean rank","rule":"mean-rank","winners":["team2"],"values":{"team0":2.9,"team1":2.1,"team2":1.0}},{"assumes":"The scores are on one scale: .01 means the same by each metric. A metric that spreads the teams widely weighs more.","unit":"mean score","rule":"meta-balance","winners":["team2"],"values":{"team0":0.46282454515688104,"team1":0.7064987297126002,"team2":0.78}}]},"properties":[{"metric":"accuracy","property":"monotonic","holds":"yes"},{"metric":"accuracy","property":"class_sensitive","holds":"after calibration"},{"metric":"accuracy","property":"decomposable","holds":"after calibration"},{"metric":"accuracy","property":"prevalence_invariant","holds":"after calibration"},{"metric":"accuracy","property":"chance_corrected","holds":"after calibration"},{"metric":"macro_recall","property":"monotonic","holds":"yes"},{"metric":"macro_recall","property":"class_sensitive","holds":"yes"},{"metric":"macro_recall","property":"decomposable","holds":"yes"},{"metric":"macro_recall","property":"prevalence_invariant","holds":"yes"},{"metric":"macro_recall","property":"chance_corrected","holds":"yes"},{"metric":"geometric_macro_recall","property":"monotonic","holds":"yes"},{"metric":"geometric_macro_recall","property":"class_sensitive","holds":"yes"},{"metric":"geometric_macro_recall","property":"decomposable","holds":"yes"},{"metric":"geometric_macro_recall","property":"prevalence_invariant","holds":"yes"},{"metric":"geometric_macro_recall","property":"chance_corrected","holds":"yes"},{"metric":"harmonic_macro_recall","property":"monotonic","holds":"yes"},{"metric":"harmonic_macro_recall","property":"class_sensitive","holds":"yes"},{"metric":"harmonic_macro_recall","property":"decomposable","holds":"yes"},{"metric":"harmonic_macro_recall","property":"prevalence_invariant","holds":"yes"},{"metric":"harmonic_macro_recall","property":"chance_corrected","holds":"yes"},{"metric":"macro_precision","property":"monotonic","holds":"yes"},{"metric":"macro_precision","property":"class_sensitive","holds":"yes"},{"metric":"macro_precision","property":"decomposable","holds":"yes"},{"metric":"macro_precision","property":"prevalence_invariant","holds":"after calibration"},{"metric":"macro_precision","property":"chance_corrected","holds":"yes"},{"metric":"averaged_f1","property":"monotonic","holds":"yes"},{"metric":"averaged_f1","property":"class_sensitive","holds":"yes"},{"metric":"averaged_f1","property":"decomposable","holds":"yes"},{"metric":"averaged_f1","property":"prevalence_invariant","holds":"after calibration"},{"metric":"averaged_f1","property":"chance_corrected","holds":"yes"},{"metric":"f1_of_averages","property":"monotonic","holds":"yes"},{"metric":"f1_of_averages","property":"class_sensitive","holds":"yes"},{"metric":"f1_of_averages","property":"decomposable","holds":"no"},{"metric":"f1_of_averages","property":"prevalence_invariant","holds":"after calibration"},{"metric":"f1_of_averages","property":"chance_corrected","holds":"yes"},{"metric":"weighted_f1","property":"monotonic","holds":"no"},{"metric":"weighted_f1","property":"class_sensitive","holds":"yes"},{"metric":"weighted_f1","property":"decomposable","holds":"after calibration"},{"metric":"weighted_f1","property":"prevalence_invariant","holds":"after calibration"},{"metric":"weighted_f1","property":"chance_corrected","holds":"after calibration"},{"metric":"kappa","property":"monotonic","holds":"no"},{"metric":"kappa","property":"class_sensitive","holds":"yes"},{"metric":"kappa","property":"decomposable","holds":"after calibration"},{"metric":"kappa","property":"prevalence_invariant","holds":"after calibration"},{"metric":"kappa","property":"chance_corrected","holds":"yes"},{"metric":"mcc","property":"monotonic","holds":"no"},{"metric":"mcc","property":"class_sensitive","holds":"yes"},{"metric":"mcc","property":"decomposable","holds":"no"},{"metric":"mcc","property":"prevalence_invariant","holds":"after calibration"},{"metric":"mcc","property":"chance_corrected","holds":"yes"}],"slices":[],"published":null,"flags":[{"slug":"too-few-gold-items","sentence":"3 classes have too few gold items for a claim: the median team’s 95% interval of recall is wider than .3: “no” (.47 wide), “perhaps” (.47 wide) and “yes” (.47 wide).","remedy":"Do not compare teams on these classes; macro averages carry their uncertainty.","paper":"3 classes have too few gold items for a claim: the median team’s 95% interval of recall is wider than .3: “no” (.47 wide), “perhaps” (.47 wide) and “yes” (.47 wide).","evidence":{"classes":[{"label":"no","gold_items":10,"width":0.474301377393492},{"label":"perhaps","gold_items":10,"width":0.474301377393492},{"label":"yes","gold_items":10,"width":0.474301377393492}]},"severity":"note"},{"slug":"class-never-predicted","sentence":"1 submission never predicts some class of gold: team0 (“no”).","remedy":"Say what an average does with such a class: here its precision and F1 count as 0.","paper":"The precision and F1 of a class that a system never predicts count as 0.","evidence":{"submissions":[{"team":"team0","classes":["no"]}]},"severity":"note"},{"slug":"rare-class","sentence":"3 classes have fewer than 20 gold items: “no” (10), “perhaps” (10) and “yes” (10).","remedy":"Report the small size of classes “no” (10 items), “perhaps” (10 items) and “yes” (10 items).","paper":"3 classes have fewer than 20 gold items: “no” (10), “perhaps” (10) and “yes” (10).","evidence":{"classes":[{"label":"no","gold_items":10},{"label":"perhaps","gold_items":10},{"label":"yes","gold_items":10}]},"severity":"note"}],"rejected":[],"ignored":[],"journal":[{"action":"read","subject":"gold.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30},{"action":"read","subject":"submissions/team0.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30},{"action":"read","subject":"submissions/team1.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30},{"action":"read","subject":"submissions/team2.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30}],"confusions":{"team0":[[0,10,0,0],[0,10,0,0],[0,0,10,0]],"team1":[[7,3,0,0],[0,7,3,0],[2,0,8,0]],"team2":[[8,2,0,0],[0,8,2,0],[2,0,8,0]]},"per_item":null}');
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
INSERT INTO "gold" VALUES(1,1,'48ec395a2fa9d2c313e82bf750b532361f5e780f2551621d68e207edd23116da',30,'["no","perhaps","yes"]',NULL,0,'[]',X'',NULL,NULL,NULL);
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
INSERT INTO "item" VALUES(1,0,'q0',0,NULL);
INSERT INTO "item" VALUES(1,1,'q1',1,NULL);
INSERT INTO "item" VALUES(1,2,'q2',2,NULL);
INSERT INTO "item" VALUES(1,3,'q3',0,NULL);
INSERT INTO "item" VALUES(1,4,'q4',1,NULL);
INSERT INTO "item" VALUES(1,5,'q5',2,NULL);
INSERT INTO "item" VALUES(1,6,'q6',0,NULL);
INSERT INTO "item" VALUES(1,7,'q7',1,NULL);
INSERT INTO "item" VALUES(1,8,'q8',2,NULL);
INSERT INTO "item" VALUES(1,9,'q9',0,NULL);
INSERT INTO "item" VALUES(1,10,'q10',1,NULL);
INSERT INTO "item" VALUES(1,11,'q11',2,NULL);
INSERT INTO "item" VALUES(1,12,'q12',0,NULL);
INSERT INTO "item" VALUES(1,13,'q13',1,NULL);
INSERT INTO "item" VALUES(1,14,'q14',2,NULL);
INSERT INTO "item" VALUES(1,15,'q15',0,NULL);
INSERT INTO "item" VALUES(1,16,'q16',1,NULL);
INSERT INTO "item" VALUES(1,17,'q17',2,NULL);
INSERT INTO "item" VALUES(1,18,'q18',0,NULL);
INSERT INTO "item" VALUES(1,19,'q19',1,NULL);
INSERT INTO "item" VALUES(1,20,'q20',2,NULL);
INSERT INTO "item" VALUES(1,21,'q21',0,NULL);
INSERT INTO "item" VALUES(1,22,'q22',1,NULL);
INSERT INTO "item" VALUES(1,23,'q23',2,NULL);
INSERT INTO "item" VALUES(1,24,'q24',0,NULL);
INSERT INTO "item" VALUES(1,25,'q25',1,NULL);
INSERT INTO "item" VALUES(1,26,'q26',2,NULL);
INSERT INTO "item" VALUES(1,27,'q27',0,NULL);
INSERT INTO "item" VALUES(1,28,'q28',1,NULL);
INSERT INTO "item" VALUES(1,29,'q29',2,NULL);
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
INSERT INTO "load" VALUES(1,1,1,'2026-11-28T19:02:48+00:00','0.1.0','cfe3a1667a1c0784564fa2eb2823061e2f3133dedc127dddd8708be268d96dd0','abcc3af9d60dd9a1cf87fad316fdf9a89c3720c5894ff3505da6313fafabf20f','{"title":"Small","label_set":{"declared":false,"names":[],"rest":null,"kind":"classes","scale":[],"other":null,"columns":[]},"official_metric":{"metric":"accuracy","prevalence":"observed"},"official_decimals":null,"policies":{"missing":"wrong","unusable":"wrong","extra":"reject","duplicates":"reject","runs":"all","baselines":"beside","skipped":"left-out","gold_copy":"refuse","chosen":[]},"prevalences":[],"assumptions":["task.toml states no title: the title is the folder''s name.","The label set is taken from gold, in sorted order: “no”, “perhaps” and “yes”.","gold.csv: comma-separated, header; column “id” holds the ids, column “label” the labels.","3 submissions: comma-separated, header; column “id” holds the ids, column “label” the labels."],"family":null,"part":null,"note":"","overall":null,"weight":1.0,"scored_labels":[],"likely_groups":null,"scale_is_open":false,"door":"task.toml","said":[]}','[{"action":"read","subject":"gold.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30},{"action":"read","subject":"submissions/team0.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30},{"action":"read","subject":"submissions/team1.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30},{"action":"read","subject":"submissions/team2.csv","text":"comma-separated, header; column “id” holds the ids, column “label” the labels.","count":30}]','[]','[]',NULL);
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
INSERT INTO "load_file" VALUES(1,'gold','gold.csv',1);
INSERT INTO "load_file" VALUES(1,'settings','task.toml',2);
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
INSERT INTO "source_file" VALUES(1,'b5e6ad7a488b7d64b1a748f2c1ad1aa1db57b36fe0a5a076aeb0a89549aca128',269,1526942253,X'78014DCC3B0A80301084E13E674991DDBC8FA3185010355A797B2513C85603FF07B32D7A9FE6B2AB6AF471AA4AFA2AF73A5D8FAAACDFF28F6DDD8DEED143EB71F4849EF16306104188415690EBE4414150EC944079101B1053236641B693037941A153042541B9D107B51853E5');
INSERT INTO "source_file" VALUES(2,'d1ebb68e88f2dff83a9e05baa8db25ff8ae127ff0d78d49214708243b8b472e2',44,4028638242,X'78012BCE294D57B055502ACE4DCCC951E2CA4F4BCB4CCE4CCC89CF4D2D29CA4C06C924262797162526572A71010052370ED6');
INSERT INTO "source_file" VALUES(3,'dd1ce3d5c2894226a6453ebd3bef59798f0467588f57ac60ffb37b8a2f7f6fbe',319,2102545336,X'78014DCFB10A80300C84E1DD67E9604E5BF571140B0A1D5A9D7C7BC504725BB86FF8C9B987B26EB974AD0F355FC75AEFAE899F084FFE96C197D1CFA8987C99FC9C15175F8413A22C20A78A8CE6919C423299CFE4D442AF0EFE855A18CCE91D500BC99C3E02B5B0FCFE022A9068C1');
INSERT INTO "source_file" VALUES(4,'9b662e0d75e781b5b97b4155fd81db3a9ae6860c8870981f753e03aee4f3edcc',270,3026189048,X'78014D8CC10A80300C43EFFB961E6CE736F7398A0385A14E4FFEBDD216D64B938697EC2BD47929D5B501AE726FF3F5B886DD12BCE54F3C1CA76BA33C412472963A3B7190F9A29D4329207516BDF1BA8B41AA51F1A42ABB987B8306260945CC2E7929D168E860BC8E5392EAA47866FD004BE45459');
INSERT INTO "source_file" VALUES(5,'9a5578c0f8f4ae36cbac2c4f20c60fab459f7f77d1cb132f103e868acf954414',269,3854321577,X'78014D8B4B0E80300805F73D4B1785FE8FA3B1892646ADAEBCBD0648E8860733BC6DB1FB34B7DD7467AF76AFD3F5980EBAA27DDB4FBC3D4ED383F24820D1CC8A0BBF57E2E0F8029044C65EFF21888A034BC39EC517AE5655E8082170E0603C9730B08A7226C9CCB80C8D4AEA0302BA53E5');
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
INSERT INTO "submission" VALUES(1,1,1,NULL,0,'team0',NULL,'submissions/team0.csv',3,0,0,'9abb05551f1d67047ba794100af0ad5253481cc50556e01d9f5ad1b92b165209','cf1cbb66a638b4860a516671fb74850e6ccf787fe6c4c8d29e9c04efe880bd05',X'010102010102010102010102010102010102010102010102010102010102',NULL,'primary',NULL,NULL,'[]','[]');
INSERT INTO "submission" VALUES(2,1,1,NULL,1,'team1',NULL,'submissions/team1.csv',4,0,0,'fb7f0113a170177a94e91e234eebb95d371dee5dff69769201f0cd5749c45e23','cf1cbb66a638b4860a516671fb74850e6ccf787fe6c4c8d29e9c04efe880bd05',X'010102000202000100000102010102000202000100000102010102000202',NULL,'primary',NULL,NULL,'[]','[]');
INSERT INTO "submission" VALUES(3,1,1,NULL,2,'team2',NULL,'submissions/team2.csv',5,0,0,'863f58cdfac8919c54f9867469081499312bf412e6b5cfba6d3f5788bfec9743','cf1cbb66a638b4860a516671fb74850e6ccf787fe6c4c8d29e9c04efe880bd05',X'010102000100000102000202000102010102000100000102000202000102',NULL,'primary',NULL,NULL,'[]','[]');
CREATE TABLE task (
    id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    options TEXT NOT NULL,
    CONSTRAINT pk_task PRIMARY KEY (id),
    CONSTRAINT ck_task_slug CHECK (slug <> ''),
    CONSTRAINT uq_task_slug UNIQUE (slug)
);
INSERT INTO "task" VALUES(1,'small','{"seed":1,"certainty":true,"compare":[]}');
CREATE INDEX ix_load_gold_id ON load (gold_id);
CREATE INDEX ix_load_task_id ON load (task_id);
CREATE INDEX ix_load_file_source_file_id ON load_file (source_file_id);
CREATE UNIQUE INDEX uq_load_file_kind ON load_file (load_id, kind) WHERE (kind NOT IN ('published', 'scores'));
CREATE INDEX ix_submission_gold_id ON submission (gold_id);
CREATE INDEX ix_submission_loaded_in ON submission (loaded_in);
CREATE INDEX ix_submission_replaced_in ON submission (replaced_in);
CREATE INDEX ix_submission_source_file_id ON submission (source_file_id);
CREATE UNIQUE INDEX uq_submission_current_run ON submission (gold_id, team, run) WHERE replaced_in IS NULL AND run IS NOT NULL;
CREATE UNIQUE INDEX uq_submission_current_team ON submission (gold_id, team) WHERE replaced_in IS NULL AND run IS NULL;
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
CREATE VIEW ranking AS
SELECT team_score.*
FROM latest_evaluation AS latest
JOIN team_score
    ON team_score.evaluation_id = latest.evaluation_id
    AND team_score.metric = latest.ranking_metric
    AND team_score.prevalence = latest.ranking_prevalence;
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
COMMIT;
