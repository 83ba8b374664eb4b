BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0009');
CREATE TABLE annotation_items (
	annotation INTEGER NOT NULL,
	task TEXT NOT NULL,
	item TEXT NOT NULL,
	wanted INTEGER NOT NULL,
	elements TEXT NOT NULL,
	CONSTRAINT pk_annotation_items PRIMARY KEY (annotation, task, item),
	CONSTRAINT fk_annotation_items_annotation FOREIGN KEY(annotation) REFERENCES annotations (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE annotations (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	pack TEXT NOT NULL,
	mode TEXT NOT NULL,
	note TEXT NOT NULL,
	created BIGINT NOT NULL,
	closed BIGINT,
	CONSTRAINT pk_annotations PRIMARY KEY (id),
	CONSTRAINT uq_annotations_name UNIQUE (name)
);
CREATE TABLE answers (
	attempt INTEGER NOT NULL,
	place INTEGER NOT NULL,
	number INTEGER NOT NULL,
	holder TEXT NOT NULL,
	given TEXT NOT NULL,
	response TEXT NOT NULL,
	meta TEXT NOT NULL,
	at BIGINT NOT NULL,
	CONSTRAINT pk_answers PRIMARY KEY (attempt, place, number),
	CONSTRAINT fk_answers_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE attempts (
	id INTEGER NOT NULL,
	digest BLOB NOT NULL,
	secret BLOB NOT NULL,
	caller TEXT NOT NULL,
	exam TEXT NOT NULL,
	mode TEXT NOT NULL,
	tasks TEXT NOT NULL,
	rules TEXT NOT NULL,
	contexts TEXT NOT NULL,
	model TEXT,
	opened BIGINT NOT NULL,
	deadline BIGINT,
	closed BIGINT,
	state TEXT NOT NULL,
	total INTEGER NOT NULL,
	answered INTEGER NOT NULL,
	report TEXT,
	space TEXT NOT NULL,
	CONSTRAINT pk_attempts PRIMARY KEY (id),
	CONSTRAINT uq_attempts_digest UNIQUE (digest)
);
CREATE TABLE episodes (
	attempt INTEGER NOT NULL,
	place INTEGER NOT NULL,
	number INTEGER NOT NULL,
	state TEXT NOT NULL,
	steps INTEGER NOT NULL,
	looks INTEGER NOT NULL,
	opened BIGINT NOT NULL,
	closed BIGINT,
	over BOOLEAN NOT NULL,
	snapshot TEXT NOT NULL,
	result TEXT NOT NULL,
	image_tokens INTEGER NOT NULL,
	fault TEXT NOT NULL,
	client TEXT,
	CONSTRAINT pk_episodes PRIMARY KEY (attempt, place),
	CONSTRAINT fk_episodes_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE events (
	id INTEGER NOT NULL,
	phase TEXT NOT NULL,
	submission TEXT,
	at BIGINT NOT NULL,
	caller TEXT NOT NULL,
	what TEXT NOT NULL,
	why TEXT NOT NULL,
	detail TEXT NOT NULL,
	CONSTRAINT pk_events PRIMARY KEY (id)
);
CREATE TABLE frames (
	attempt INTEGER NOT NULL,
	digest BLOB NOT NULL,
	data BLOB NOT NULL,
	CONSTRAINT pk_frames PRIMARY KEY (attempt, digest),
	CONSTRAINT fk_frames_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
);
CREATE TABLE gradings (
	id INTEGER NOT NULL,
	phase TEXT NOT NULL,
	"references" BLOB NOT NULL,
	protocols TEXT NOT NULL,
	snellen TEXT NOT NULL,
	at BIGINT NOT NULL,
	why TEXT NOT NULL,
	shown BIGINT,
	CONSTRAINT pk_gradings PRIMARY KEY (id)
);
INSERT INTO "gradings" VALUES(1,'sample/main',X'81ABE139104A72B72F3172592B8F5C8D782A7447FDA7E3C91923909AA33F1EBB','{"screenqa/short": "official@1"}','0.1.0',1795729572566,'',1795729572566);
CREATE TABLE invitations (
	id INTEGER NOT NULL,
	digest BLOB NOT NULL,
	caller TEXT NOT NULL,
	note TEXT NOT NULL,
	uses INTEGER NOT NULL,
	used INTEGER NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	revoked BIGINT,
	CONSTRAINT pk_invitations PRIMARY KEY (id),
	CONSTRAINT uq_invitations_digest UNIQUE (digest)
);
CREATE TABLE items (
	attempt INTEGER NOT NULL,
	place INTEGER NOT NULL,
	opaque TEXT NOT NULL,
	task TEXT NOT NULL,
	item TEXT NOT NULL,
	pair TEXT,
	answered BOOLEAN NOT NULL,
	holder TEXT,
	leased_until BIGINT,
	views INTEGER NOT NULL,
	submissions INTEGER NOT NULL,
	CONSTRAINT pk_items PRIMARY KEY (attempt, place),
	CONSTRAINT uq_items_attempt UNIQUE (attempt, opaque),
	CONSTRAINT fk_items_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE jobs (
	submission TEXT NOT NULL,
	grading INTEGER NOT NULL,
	state TEXT NOT NULL,
	at BIGINT NOT NULL,
	tries INTEGER NOT NULL,
	worker TEXT,
	lease BIGINT,
	error TEXT,
	problems TEXT,
	CONSTRAINT pk_jobs PRIMARY KEY (submission, grading),
	CONSTRAINT fk_jobs_submission FOREIGN KEY(submission) REFERENCES submissions (id) ON DELETE CASCADE,
	CONSTRAINT fk_jobs_grading FOREIGN KEY(grading) REFERENCES gradings (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "jobs" VALUES('sub_7dqegi7t4fjjltqc',1,'graded',1795729572604,1,'host:1:1',NULL,NULL,NULL);
CREATE TABLE keys (
	caller TEXT NOT NULL,
	"key" TEXT NOT NULL,
	digest BLOB NOT NULL,
	submission TEXT NOT NULL,
	CONSTRAINT pk_keys PRIMARY KEY (caller, "key"),
	CONSTRAINT fk_keys_submission FOREIGN KEY(submission) REFERENCES submissions (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE leases (
	attempt INTEGER NOT NULL,
	client TEXT NOT NULL,
	place INTEGER NOT NULL,
	pair TEXT,
	at BIGINT NOT NULL,
	CONSTRAINT pk_leases PRIMARY KEY (attempt, client, place),
	CONSTRAINT fk_leases_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE parts (
	submission TEXT NOT NULL,
	number INTEGER NOT NULL,
	body BLOB NOT NULL,
	kept BLOB,
	CONSTRAINT pk_parts PRIMARY KEY (submission, number),
	CONSTRAINT fk_parts_submission FOREIGN KEY(submission) REFERENCES submissions (id) ON DELETE CASCADE
);
INSERT INTO "parts" VALUES('sub_7dqegi7t4fjjltqc',0,X'789CAB56CA2C49CD8DCF4C51B252502A492D2ED13734313633D13750D251502A4A2D2EC8CF2B4E05C9F9E6E7A524562AD5725563EA30333333C5D49197AF9099929A08D402001B3F1E57',NULL);
CREATE TABLE quotas (
	phase TEXT NOT NULL,
	caller TEXT NOT NULL,
	day TEXT NOT NULL,
	used INTEGER NOT NULL,
	CONSTRAINT pk_quotas PRIMARY KEY (phase, caller, day)
)
 WITHOUT ROWID

;
INSERT INTO "quotas" VALUES('sample/main','ada','',1);
INSERT INTO "quotas" VALUES('sample/main','ada','2026-01-01',1);
CREATE TABLE ratings (
	annotation INTEGER NOT NULL,
	task TEXT NOT NULL,
	item TEXT NOT NULL,
	rater TEXT NOT NULL,
	given TEXT,
	reason TEXT NOT NULL,
	at BIGINT NOT NULL,
	source TEXT NOT NULL,
	corrected INTEGER NOT NULL,
	CONSTRAINT pk_ratings PRIMARY KEY (annotation, task, item, rater),
	CONSTRAINT fk_ratings_annotation FOREIGN KEY(annotation) REFERENCES annotations (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE requests (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	digest BLOB NOT NULL,
	at BIGINT NOT NULL,
	team TEXT,
	subject TEXT,
	CONSTRAINT pk_requests PRIMARY KEY (id),
	CONSTRAINT uq_requests_name UNIQUE (name),
	CONSTRAINT uq_requests_digest UNIQUE (digest),
	CONSTRAINT uq_requests_subject UNIQUE (subject)
);
CREATE TABLE scores (
	submission TEXT NOT NULL,
	grading INTEGER NOT NULL,
	task TEXT NOT NULL,
	part TEXT NOT NULL,
	metric TEXT NOT NULL,
	value DOUBLE NOT NULL,
	low DOUBLE,
	high DOUBLE,
	items INTEGER NOT NULL,
	outcomes TEXT NOT NULL,
	signature TEXT NOT NULL,
	metrics TEXT NOT NULL,
	item_values BLOB NOT NULL,
	item_groups BLOB NOT NULL,
	report BLOB,
	measures TEXT,
	item_episodes BLOB,
	CONSTRAINT pk_scores PRIMARY KEY (submission, grading, task, part),
	CONSTRAINT fk_scores_submission FOREIGN KEY(submission) REFERENCES submissions (id) ON DELETE CASCADE,
	CONSTRAINT fk_scores_grading FOREIGN KEY(grading) REFERENCES gradings (id) ON DELETE CASCADE
);
INSERT INTO "scores" VALUES('sub_7dqegi7t4fjjltqc',1,'screenqa/short','all','f1',8.33333333333333287074e-02,1.12165961015699890829e-02,4.21477823057642697612e-01,12,'{"answered": 2, "missing": 10}','screenqa/short|data:unknown:sha256:cfb8d5d5c0236abf|protocol:official@1|n:12|items:sha256:2ede441d4bbf97b6|snellen:0.1.0','{"exact_match": 0.08333333333333333, "f1": 0.08333333333333333}',X'789C6360C0073ED8E395260200004E3F0130',X'789C25C3870900200C00B06A5DF5FF830D1848C4D7ECA6C3E9727B2CAF0F03A00038',NULL,NULL,NULL);
CREATE TABLE sessions (
	digest BLOB NOT NULL,
	token INTEGER NOT NULL,
	expires BIGINT NOT NULL,
	CONSTRAINT pk_sessions PRIMARY KEY (digest),
	CONSTRAINT fk_sessions_token FOREIGN KEY(token) REFERENCES tokens (id) ON DELETE CASCADE
);
CREATE TABLE steps (
	attempt INTEGER NOT NULL,
	place INTEGER NOT NULL,
	episode INTEGER NOT NULL,
	number INTEGER NOT NULL,
	given TEXT NOT NULL,
	input TEXT,
	note TEXT NOT NULL,
	at BIGINT NOT NULL,
	microseconds INTEGER NOT NULL,
	frame BLOB,
	CONSTRAINT pk_steps PRIMARY KEY (attempt, place, episode, number),
	CONSTRAINT fk_steps_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE submissions (
	id TEXT NOT NULL,
	phase TEXT NOT NULL,
	caller TEXT NOT NULL,
	source TEXT NOT NULL,
	attempt INTEGER,
	task TEXT,
	name TEXT NOT NULL,
	link TEXT NOT NULL,
	form TEXT NOT NULL,
	digest BLOB NOT NULL,
	size INTEGER NOT NULL,
	at BIGINT NOT NULL,
	day TEXT NOT NULL,
	cost TEXT NOT NULL,
	conditions TEXT NOT NULL,
	baseline BOOLEAN NOT NULL,
	removed TEXT,
	chosen BIGINT,
	CONSTRAINT pk_submissions PRIMARY KEY (id),
	CONSTRAINT uq_submissions_attempt UNIQUE (attempt)
);
INSERT INTO "submissions" VALUES('sub_7dqegi7t4fjjltqc','sample/main','ada','upload',NULL,NULL,'ada','','.jsonl',X'E6110D43062AC0E3F4FA51C62C5128DDFB7F543202E99CB77A6496CA138BE82E',101,1767268800000,'2026-01-01','{}','',0,NULL,NULL);
CREATE TABLE teams (
	name TEXT NOT NULL,
	digest BLOB NOT NULL,
	created BIGINT NOT NULL,
	CONSTRAINT pk_teams PRIMARY KEY (name),
	CONSTRAINT uq_teams_digest UNIQUE (digest)
);
CREATE TABLE tokens (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	digest BLOB NOT NULL,
	scopes TEXT NOT NULL,
	created BIGINT NOT NULL,
	revoked BIGINT,
	expires BIGINT,
	team TEXT,
	subject TEXT,
	CONSTRAINT pk_tokens PRIMARY KEY (id),
	CONSTRAINT uq_tokens_name UNIQUE (name),
	CONSTRAINT uq_tokens_digest UNIQUE (digest)
);
INSERT INTO "tokens" VALUES(1,'ada',X'70AF03AB00AECBA7ADC57B7799877C6566C23F0DA914E05857FC42F2913FBFE7','submit',1767268800000,NULL,NULL,NULL,NULL);
CREATE TABLE traces (
	id INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	place INTEGER,
	at BIGINT NOT NULL,
	tool TEXT NOT NULL,
	microseconds INTEGER NOT NULL,
	image_bytes INTEGER NOT NULL,
	image_tokens INTEGER NOT NULL,
	detail TEXT NOT NULL,
	CONSTRAINT pk_traces PRIMARY KEY (id),
	CONSTRAINT fk_traces_attempt FOREIGN KEY(attempt) REFERENCES attempts (id) ON DELETE CASCADE
);
CREATE INDEX ix_submissions_caller ON submissions (caller);
CREATE INDEX ix_submissions_phase ON submissions (phase, at, id);
CREATE INDEX ix_gradings_phase ON gradings (phase);
CREATE INDEX ix_events_phase ON events (phase);
CREATE INDEX ix_events_moved ON events (id) WHERE what = 'moved';
CREATE UNIQUE INDEX ix_tokens_subject ON tokens (subject);
CREATE INDEX ix_attempts_caller ON attempts (caller);
CREATE INDEX ix_jobs_open ON jobs (at) WHERE state IN ('queued', 'grading');
CREATE INDEX ix_items_holder ON items (attempt, holder, answered);
CREATE INDEX ix_items_open ON items (attempt, answered, place);
CREATE INDEX ix_leases_pair ON leases (attempt, client, pair);
CREATE INDEX ix_traces_attempt ON traces (attempt);
COMMIT;
