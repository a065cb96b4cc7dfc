/**
 * The index for close matches, and the folded form of text that also ignores accents and letter variants.
 *
 * `migrate` provides the SQL function `fold` (`app/shared/fold.ts`).
 */
export const migration = {
  name: "1001-search-words",
  sql: /* sql */ `
    -- The folded words of every video. The rank weights the columns in this order.
    CREATE VIRTUAL TABLE video_words USING fts5 (
      title, tags, category, series, description, content = '', contentless_delete = 1,
      tokenize = 'unicode61 remove_diacritics 0', prefix = '1 2 3');
    INSERT INTO video_words (video_words, rank) VALUES
      ('rank', 'bm25(10.0, 5.0, 3.0, 3.0, 0.5)'), ('automerge', 16), ('crisismerge', 64);

    -- A video's entry contains the titles of its public series.
    CREATE TRIGGER series_video_added AFTER INSERT ON series_videos BEGIN
      INSERT INTO video_changes (video_id) VALUES (NEW.video_id);
    END;
    CREATE TRIGGER series_video_removed AFTER DELETE ON series_videos BEGIN
      INSERT INTO video_changes (video_id) VALUES (OLD.video_id);
    END;
    CREATE TRIGGER series_changed AFTER UPDATE OF title, visibility, deleted_at ON series BEGIN
      INSERT INTO video_changes (video_id)
        SELECT video_id FROM series_videos WHERE series_id = NEW.id;
    END;

    -- Stored text that is compared with folded text. No alias may be the tag of another alias.
    UPDATE performers SET sort_name = fold(sort_name);
    UPDATE OR REPLACE performer_names SET name = fold(name);
    DELETE FROM tag_aliases WHERE fold(alias) = fold(tag);
    UPDATE OR REPLACE tag_aliases SET alias = fold(alias), tag = fold(tag);
    DELETE FROM tag_aliases WHERE tag IN (SELECT alias FROM tag_aliases);

    -- Every video is projected again, because the search indexes contain folded text.
    DELETE FROM projected_videos;
    DELETE FROM video_totals;
    INSERT INTO video_search (video_search) VALUES ('delete-all');
    INSERT INTO video_search_short (video_search_short) VALUES ('delete-all');
    INSERT INTO video_changes (video_id) SELECT id FROM videos ORDER BY sort_key;`,
};
