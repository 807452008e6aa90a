-- Makes a schema of format 1 one of format 2: rows have checksums, and records of tasks that are no results of durable steps
-- are found without them. Rows that are there get a checksum when they are next written.

-- A program of an older version would change rows and leave their checksums as they are. It commits by functions that are
-- gone, and names a column that has another name.
ALTER TABLE threads RENAME COLUMN owner TO holder;
-- `holder` and `epoch` change without the others, and have a checksum of their own.
ALTER TABLE threads ADD COLUMN sum INTEGER, ADD COLUMN holder_sum INTEGER;
ALTER TABLE heads ADD COLUMN sum INTEGER;
ALTER TABLE checkpoints ADD COLUMN sum INTEGER;
ALTER TABLE fields ADD COLUMN sum INTEGER;
ALTER TABLE task_records ADD COLUMN sum INTEGER;
ALTER TABLE journal ADD COLUMN sum INTEGER;

CREATE INDEX open_records ON task_records (head, id) WHERE kind <> 'once';

DROP FUNCTION commit_thread;
DROP FUNCTION claim;

-- Checks owner and epoch, writes the thread's row as far as it changes, and answers its id.
CREATE FUNCTION claim(
    p_thread TEXT, p_owner TEXT, p_epoch BIGINT, p_release BOOLEAN,
    p_row BOOLEAN, p_graph TEXT, p_graph_version BIGINT, p_status TEXT, p_detail BYTEA, p_created BIGINT, p_updated BIGINT,
    p_sum INTEGER, p_holder_sum INTEGER
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
        INSERT INTO threads
            (thread, graph, graph_version, status, detail, created, updated, epoch, holder, sum, holder_sum)
        VALUES (p_thread, p_graph, p_graph_version, p_status, p_detail, p_created, p_updated, p_epoch, new_owner, p_sum,
            p_holder_sum)
        ON CONFLICT (thread) DO NOTHING RETURNING id INTO made;
        IF made IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = 'another writer has just begun the thread';
        END IF;
        RETURN made;
    END IF;
    IF NOT (stored.epoch = p_epoch AND stored.holder = p_owner) AND stored.epoch + 1 <> p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = format('the thread is at epoch %s', stored.epoch);
    END IF;
    IF p_row THEN
        UPDATE threads SET graph = p_graph, graph_version = p_graph_version, status = p_status, detail = p_detail,
            created = p_created, updated = p_updated, epoch = p_epoch, holder = new_owner, written = nextval('writings'),
            sum = p_sum, holder_sum = p_holder_sum
        WHERE id = stored.id;
    ELSIF stored.epoch <> p_epoch OR stored.holder <> new_owner THEN
        UPDATE threads SET epoch = p_epoch, holder = new_owner, holder_sum = p_holder_sum WHERE id = stored.id;
    END IF;
    RETURN stored.id;
END $$;

-- One commit. It is called by itself, so that it is a transaction of one round trip.
CREATE FUNCTION commit_thread(
    p_thread TEXT, p_owner TEXT, p_epoch BIGINT, p_release BOOLEAN,
    p_row BOOLEAN, p_graph TEXT, p_graph_version BIGINT, p_status TEXT, p_detail BYTEA, p_created BIGINT, p_updated BIGINT,
    p_sum INTEGER, p_holder_sum INTEGER,
    p_ns TEXT, p_expected BIGINT, p_head_sum INTEGER, p_number BIGINT, p_parent BIGINT, p_id TEXT, p_step BIGINT, p_source TEXT,
    p_time BIGINT, p_executed BIGINT, p_state_version BIGINT, p_names TEXT[], p_versions BIGINT[],
    p_checkpoint_sum INTEGER,
    p_field TEXT[], p_version BIGINT[], p_previous BIGINT[], p_whole BOOLEAN[], p_payload BYTEA[], p_blob TEXT[],
    p_field_sum INTEGER[], p_hash TEXT[], p_bytes BYTEA[],
    p_task TEXT[], p_kind TEXT[], p_key TEXT[], p_record BYTEA[], p_record_sum INTEGER[], p_settled TEXT[],
    p_seq BIGINT[], p_event BYTEA[], p_event_sum INTEGER[]
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    v_thread BIGINT;
    v_head BIGINT;
    v_number BIGINT;
    v_last BIGINT;
    v_seq BIGINT;
BEGIN
    v_thread := claim(p_thread, p_owner, p_epoch, p_release, p_row, p_graph, p_graph_version, p_status, p_detail,
        p_created, p_updated, p_sum, p_holder_sum);
    IF p_number IS NOT NULL OR cardinality(p_field) > 0 OR cardinality(p_task) > 0 OR cardinality(p_settled) > 0 THEN
        SELECT id, number INTO v_head, v_number FROM heads WHERE thread = v_thread AND ns = p_ns;
        IF p_number IS NOT NULL AND v_number IS DISTINCT FROM p_expected THEN
            RAISE EXCEPTION USING ERRCODE = 'GL001', MESSAGE = format('the head is %s, not %s',
                coalesce(v_number::text, 'unset'), coalesce(p_expected::text, 'unset'));
        END IF;
        IF v_head IS NULL THEN
            INSERT INTO heads (thread, ns, number, sum) VALUES (v_thread, p_ns, p_number, p_head_sum)
            RETURNING id INTO v_head;
        ELSIF p_number IS NOT NULL THEN
            UPDATE heads SET number = p_number, sum = p_head_sum WHERE id = v_head;
        END IF;
    END IF;
    IF p_number IS NOT NULL THEN
        INSERT INTO checkpoints
            (head, number, parent, id, step, source, time, executed, fields, versions, state_version, sum)
        VALUES (v_head, p_number, p_parent, p_id, p_step, p_source, p_time, p_executed, p_names, p_versions,
            p_state_version, p_checkpoint_sum)
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
        INSERT INTO fields (head, field, version, previous, whole, payload, blob, sum)
        SELECT v_head, f.* FROM unnest(p_field, p_version, p_previous, p_whole, p_payload, p_blob, p_field_sum) AS f
        ON CONFLICT (head, field, version) DO UPDATE SET previous = excluded.previous, whole = excluded.whole,
            payload = excluded.payload, blob = excluded.blob, sum = excluded.sum;
    END IF;
    FOR i IN 1 .. cardinality(p_task) LOOP
        INSERT INTO task_records (head, task, kind, key, payload, sum)
        VALUES (v_head, p_task[i], p_kind[i], p_key[i], p_record[i], p_record_sum[i])
        ON CONFLICT (head, md5(task), kind, md5(key)) DO UPDATE SET payload = excluded.payload, sum = excluded.sum;
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
        INSERT INTO journal (thread, seq, event, sum)
        SELECT v_thread, j.* FROM unnest(p_seq, p_event, p_event_sum) AS j;
    END IF;
END $$;
