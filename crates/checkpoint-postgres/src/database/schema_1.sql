-- Makes an empty schema one of format 1.

-- Who is alive: one row per open checkpointer, renewed by its heartbeat.
CREATE TABLE owners (
    instance TEXT PRIMARY KEY,
    expires  TIMESTAMPTZ NOT NULL
);

-- Orders rows of threads by their last writing.
CREATE SEQUENCE writings;

CREATE TABLE threads (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread        TEXT NOT NULL UNIQUE,
    graph         TEXT NOT NULL,
    graph_version BIGINT NOT NULL,
    status        TEXT NOT NULL,
    detail        BYTEA NOT NULL,
    created       BIGINT NOT NULL,
    updated       BIGINT NOT NULL,
    epoch         BIGINT NOT NULL,
    owner         TEXT NOT NULL,
    written       BIGINT NOT NULL DEFAULT nextval('writings')
);
CREATE INDEX threads_by_written ON threads (written);

-- One row per namespace; `number` is its head.
CREATE TABLE heads (
    id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread BIGINT NOT NULL,
    ns     TEXT COLLATE "C" NOT NULL,
    number BIGINT,
    UNIQUE (thread, ns)
);

-- `fields` are the names of the fields, `versions` theirs, in the same order.
CREATE TABLE checkpoints (
    head          BIGINT NOT NULL,
    number        BIGINT NOT NULL,
    parent        BIGINT,
    id            TEXT NOT NULL,
    step          BIGINT NOT NULL,
    source        TEXT NOT NULL,
    time          BIGINT NOT NULL,
    executed      BIGINT NOT NULL,
    fields        TEXT[] NOT NULL,
    versions      BIGINT[] NOT NULL,
    state_version BIGINT NOT NULL,
    PRIMARY KEY (head, number)
);

-- A record holds its bytes in `payload`, or the hash of a row of `blobs`.
CREATE TABLE fields (
    head     BIGINT NOT NULL,
    field    TEXT COLLATE "C" NOT NULL,
    version  BIGINT NOT NULL,
    previous BIGINT,
    whole    BOOLEAN NOT NULL,
    payload  BYTEA,
    blob     TEXT,
    PRIMARY KEY (head, field, version)
);
CREATE INDEX fields_by_blob ON fields (blob) WHERE blob IS NOT NULL;

CREATE TABLE blobs (
    hash  TEXT PRIMARY KEY,
    bytes BYTEA NOT NULL
);

CREATE TABLE task_records (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    head    BIGINT NOT NULL,
    task    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    key     TEXT NOT NULL,
    payload BYTEA NOT NULL
);
-- Keys may be longer than what an index holds.
CREATE UNIQUE INDEX task_records_by_key ON task_records (head, md5(task), kind, md5(key));

CREATE TABLE journal (
    thread BIGINT NOT NULL,
    seq    BIGINT NOT NULL,
    event  BYTEA NOT NULL,
    PRIMARY KEY (thread, seq)
);

-- The long-term store. Segments of `namespace` are joined by the unit separator, which no segment contains.
CREATE TABLE items (
    namespace TEXT COLLATE "C" NOT NULL,
    key       TEXT COLLATE "C" NOT NULL,
    value     TEXT NOT NULL,
    created   BIGINT NOT NULL,
    updated   BIGINT NOT NULL,
    expires   BIGINT,
    PRIMARY KEY (namespace, key)
);
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;

-- Checks owner and epoch, writes the thread's row as far as it changes, and answers its id.
CREATE FUNCTION claim(
    p_thread TEXT, p_owner TEXT, p_epoch BIGINT, p_release BOOLEAN,
    p_row BOOLEAN, p_graph TEXT, p_graph_version BIGINT, p_status TEXT, p_detail BYTEA, p_created BIGINT, p_updated BIGINT
) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    stored threads%ROWTYPE;
    new_owner TEXT := CASE WHEN p_release THEN '' ELSE p_owner END;
    made BIGINT;
BEGIN
    SELECT * INTO stored FROM threads WHERE thread = p_thread FOR UPDATE;
    IF NOT FOUND THEN
        IF p_epoch <> 1 THEN
            RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = 'the thread is at epoch 0';
        END IF;
        IF NOT p_row THEN
            RAISE EXCEPTION USING ERRCODE = 'GL002', MESSAGE = 'there is no such thread';
        END IF;
        INSERT INTO threads (thread, graph, graph_version, status, detail, created, updated, epoch, owner)
        VALUES (p_thread, p_graph, p_graph_version, p_status, p_detail, p_created, p_updated, p_epoch, new_owner)
        ON CONFLICT (thread) DO NOTHING RETURNING id INTO made;
        IF made IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = 'another writer has just begun the thread';
        END IF;
        RETURN made;
    END IF;
    IF NOT (stored.epoch = p_epoch AND stored.owner = p_owner) AND stored.epoch + 1 <> p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = format('the thread is at epoch %s', stored.epoch);
    END IF;
    IF p_row THEN
        UPDATE threads SET graph = p_graph, graph_version = p_graph_version, status = p_status, detail = p_detail,
            created = p_created, updated = p_updated, epoch = p_epoch, owner = new_owner, written = nextval('writings')
        WHERE id = stored.id;
    ELSIF stored.epoch <> p_epoch OR stored.owner <> new_owner THEN
        UPDATE threads SET epoch = p_epoch, owner = new_owner WHERE id = stored.id;
    END IF;
    RETURN stored.id;
END $$;

-- One commit. It is called by itself, so that it is a transaction of one round trip.
CREATE FUNCTION commit_thread(
    p_thread TEXT, p_owner TEXT, p_epoch BIGINT, p_release BOOLEAN,
    p_row BOOLEAN, p_graph TEXT, p_graph_version BIGINT, p_status TEXT, p_detail BYTEA, p_created BIGINT, p_updated BIGINT,
    p_ns TEXT, p_expected BIGINT, p_number BIGINT, p_parent BIGINT, p_id TEXT, p_step BIGINT, p_source TEXT,
    p_time BIGINT, p_executed BIGINT, p_state_version BIGINT, p_names TEXT[], p_versions BIGINT[],
    p_field TEXT[], p_version BIGINT[], p_previous BIGINT[], p_whole BOOLEAN[], p_payload BYTEA[], p_blob TEXT[],
    p_hash TEXT[], p_bytes BYTEA[],
    p_task TEXT[], p_kind TEXT[], p_key TEXT[], p_record BYTEA[], p_settled TEXT[],
    p_seq BIGINT[], p_event BYTEA[]
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    v_thread BIGINT;
    v_head BIGINT;
    v_number BIGINT;
    v_last BIGINT;
    v_seq BIGINT;
BEGIN
    v_thread := claim(p_thread, p_owner, p_epoch, p_release, p_row, p_graph, p_graph_version, p_status, p_detail,
        p_created, p_updated);
    IF p_number IS NOT NULL OR cardinality(p_field) > 0 OR cardinality(p_task) > 0 OR cardinality(p_settled) > 0 THEN
        SELECT id, number INTO v_head, v_number FROM heads WHERE thread = v_thread AND ns = p_ns;
        IF p_number IS NOT NULL AND v_number IS DISTINCT FROM p_expected THEN
            RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = format('the head is %s, not %s',
                coalesce(v_number::text, 'unset'), coalesce(p_expected::text, 'unset'));
        END IF;
        IF v_head IS NULL THEN
            INSERT INTO heads (thread, ns, number) VALUES (v_thread, p_ns, p_number) RETURNING id INTO v_head;
        ELSIF p_number IS NOT NULL THEN
            UPDATE heads SET number = p_number WHERE id = v_head;
        END IF;
    END IF;
    IF p_number IS NOT NULL THEN
        INSERT INTO checkpoints
            (head, number, parent, id, step, source, time, executed, fields, versions, state_version)
        VALUES (v_head, p_number, p_parent, p_id, p_step, p_source, p_time, p_executed, p_names, p_versions, p_state_version)
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = format('checkpoint %s exists already', p_number);
        END IF;
    END IF;
    IF cardinality(p_hash) > 0 THEN
        -- Those who remove large values wait until it is seen that this one is held.
        PERFORM pg_advisory_xact_lock_shared(1198681197, hashtext(current_schema()));
        INSERT INTO blobs (hash, bytes) SELECT * FROM unnest(p_hash, p_bytes) AS b(hash, bytes) ORDER BY hash
        ON CONFLICT DO NOTHING;
    END IF;
    IF cardinality(p_field) > 0 THEN
        INSERT INTO fields (head, field, version, previous, whole, payload, blob)
        SELECT v_head, f.* FROM unnest(p_field, p_version, p_previous, p_whole, p_payload, p_blob) AS f
        ON CONFLICT (head, field, version) DO UPDATE SET previous = excluded.previous, whole = excluded.whole,
            payload = excluded.payload, blob = excluded.blob;
    END IF;
    FOR i IN 1 .. cardinality(p_task) LOOP
        INSERT INTO task_records (head, task, kind, key, payload)
        VALUES (v_head, p_task[i], p_kind[i], p_key[i], p_record[i])
        ON CONFLICT (head, md5(task), kind, md5(key)) DO UPDATE SET payload = excluded.payload;
    END LOOP;
    IF cardinality(p_settled) > 0 THEN
        DELETE FROM task_records WHERE head = v_head AND md5(task) IN (SELECT md5(s) FROM unnest(p_settled) AS s)
            AND kind <> 'once';
    END IF;
    IF cardinality(p_seq) > 0 THEN
        SELECT coalesce(max(seq), 0) INTO v_last FROM journal WHERE thread = v_thread;
        FOREACH v_seq IN ARRAY p_seq LOOP
            IF v_seq <= v_last THEN
                RAISE EXCEPTION USING ERRCODE = 'GL001',
                    MESSAGE = format('the journal is at %s, and the commit brings %s', v_last, v_seq);
            END IF;
            v_last := v_seq;
        END LOOP;
        INSERT INTO journal (thread, seq, event) SELECT v_thread, j.* FROM unnest(p_seq, p_event) AS j;
    END IF;
END $$;
