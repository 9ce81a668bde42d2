BEGIN TRANSACTION;
CREATE TABLE contribution (
	table_id VARCHAR(64) NOT NULL, 
	number BIGINT NOT NULL, 
	seat SMALLINT NOT NULL, 
	seed BLOB NOT NULL, 
	signature BLOB NOT NULL, 
	PRIMARY KEY (table_id, number, seat)
)
 WITHOUT ROWID

;
CREATE TABLE cosigned (
	size BIGINT NOT NULL, 
	note BLOB NOT NULL, 
	is_quorate SMALLINT NOT NULL, 
	PRIMARY KEY (size)
)
 WITHOUT ROWID

;
CREATE TABLE head (
	id SMALLINT NOT NULL, 
	origin VARCHAR(255) NOT NULL, 
	size BIGINT NOT NULL, 
	root BLOB NOT NULL, 
	peaks BLOB NOT NULL, 
	checkpoint BLOB NOT NULL, 
	newest_time BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE leaf (
	position INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	PRIMARY KEY (position)
);
CREATE TABLE mark (
	table_id VARCHAR(64) NOT NULL, 
	number BIGINT NOT NULL, 
	kind SMALLINT NOT NULL, 
	event BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	request_digest BLOB NOT NULL, 
	memo BLOB NOT NULL, 
	PRIMARY KEY (table_id, number, kind, event)
)
 WITHOUT ROWID

;
CREATE TABLE node (
	level SMALLINT NOT NULL, 
	position BIGINT NOT NULL, 
	hash BLOB NOT NULL, 
	PRIMARY KEY (level, position)
)
 WITHOUT ROWID

;
CREATE TABLE round (
	table_id VARCHAR(64) NOT NULL, 
	number BIGINT NOT NULL, 
	round_id BLOB NOT NULL, 
	deal_deadline BIGINT NOT NULL, 
	round_deadline BIGINT NOT NULL, 
	stage SMALLINT NOT NULL, 
	deck_root BLOB, 
	terminal_leaf BLOB, 
	newest_time BIGINT NOT NULL, 
	unseals BLOB NOT NULL, 
	due BIGINT, 
	PRIMARY KEY (table_id, number)
)
 WITHOUT ROWID

;
CREATE TABLE schema_version (
	id SMALLINT NOT NULL, 
	version SMALLINT NOT NULL, 
	openings BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX round_due ON round (due) WHERE due IS NOT NULL;
COMMIT;
