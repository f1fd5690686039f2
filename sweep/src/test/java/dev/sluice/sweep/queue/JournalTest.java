package dev.sluice.sweep.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.sweep.queue.QueueEvent.Aside;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Resumed;
import dev.sluice.sweep.queue.QueueEvent.Started;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a journal gives back, whole, torn, damaged and on a full disk. */
final class JournalTest {
  private static final List<QueueEvent> EVENTS =
      List.of(
          new Queued(0, "a\tb\\n\n\r'\"é", "/c d/x.yml", null, 17),
          new Queued(1, "-n", "", 3, 18),
          new Started(0, 1, -1, "abc", "/tmp/x.log", "b-1", 19),
          new Ended(0, 1, Outcome.FAILED, 137, "ended by signal 9", true, 12, 31),
          new Aside(3, 32),
          new Resumed(33));

  @TempDir private Path folder;

  private Path written() throws IOException {
    Path file = folder.resolve("journal");
    try (var journal = new Journal(file, new Journal.Content(List.of(), 0))) {
      for (QueueEvent event : EVENTS) {
        journal.append(List.of(event));
      }
    }
    return file;
  }

  @Test
  void givesBackWhatWasWritten() throws Exception {
    Path file = written();
    assertThat(Journal.read(file)).isEqualTo(new Journal.Content(EVENTS, Files.size(file)));
  }

  /** Lines of the first version, which later ones go on with. */
  @Test
  void writesTheLinesOfEarlierVersions() throws Exception {
    assertThat(Files.readAllLines(written()))
        .containsExactly(
            "0aabf7a0\tqueued\t0\ta\\tb\\\\n\\n\\r'\"é\t/c d/x.yml\t\t17",
            "3ee26557\tqueued\t1\t-n\t\t3\t18",
            "258a4980\tstarted\t0\t1\t-1\tabc\t/tmp/x.log\tb-1\t19",
            "bfdd2940\tended\t0\t1\tFAILED\t137\tended by signal 9\ttrue\t12\t31",
            "d34668b9\taside\t3\t32",
            "7d9bcc9c\tresumed\t33");
  }

  @Test
  void cutAtAnyByte_givesBackTheWholeLines_andGoesOnBehindThem() throws Exception {
    byte[] bytes = Files.readAllBytes(written());
    for (int end = 0; end <= bytes.length; end++) {
      byte[] cut = Arrays.copyOf(bytes, end);
      int whole =
          (int) new String(cut, StandardCharsets.ISO_8859_1).chars().filter(c -> c == '\n').count();
      Path file = folder.resolve("cut");
      Files.write(file, cut);
      Journal.Content content = Journal.read(file);
      assertThat(content.events()).as("cut at " + end).isEqualTo(EVENTS.subList(0, whole));
      try (var journal = new Journal(file, content)) {
        journal.append(List.of(new Resumed(99)));
      }
      assertThat(Journal.read(file).events()).hasSize(whole + 1).endsWith(new Resumed(99));
    }
  }

  @Test
  void aDamagedMiddle_isNamedByItsLine() throws Exception {
    byte[] bytes = Files.readAllBytes(written());
    int lastLine = EVENTS.size();
    int line = 1;
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      boolean joins = bytes[i] == '\n';
      if (line < lastLine && !(joins && line == lastLine - 1)) {
        int named = line;
        assertThatThrownBy(() -> Journal.parse(damaged, "journal"))
            .as("byte " + i)
            .isInstanceOf(UserMistakeException.class)
            .hasMessageContaining("journal:" + named + ": error: the journal is damaged");
      }
      line += joins ? 1 : 0;
    }
  }

  @Test
  void onAFullDisk_nothingOfALineStays_andWritingGoesOnWhenThereIsRoom() throws Exception {
    Path file = folder.resolve("journal");
    try (var journal = new SmallJournal(file, new Journal.Content(List.of(), 0))) {
      journal.append(EVENTS.subList(0, 1));
      journal.left = 10;
      assertThatThrownBy(() -> journal.append(EVENTS.subList(1, 3)))
          .isInstanceOf(IOException.class);
      assertThat(Journal.read(file).events()).isEqualTo(EVENTS.subList(0, 1));
      journal.left = Long.MAX_VALUE;
      journal.append(EVENTS.subList(1, 3));
    }
    assertThat(Journal.read(file).events()).isEqualTo(EVENTS.subList(0, 3));
  }
}
