package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordingHeader.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recordings of logs: written, read again, and damaged in each way. */
final class RecordingsTest {
  private static final RecordingHeader HEADER =
      new RecordingHeader(
          1, Kind.LOG, "run-1", 1_700_000_000_000L, 2, "1", "aa", "bb", "name: \"ü\"\nseed: 1\n");

  @TempDir Path folder;

  private static RecordedEntry entry(
      String topic, int partition, long offset, long ms, String value) {
    return new RecordedEntry(topic, partition, offset, ms, value.getBytes(UTF_8));
  }

  private static final List<RecordedEntry> ENTRIES =
      List.of(
          entry("runs", 0, 0, 10, "{\"type\":\"RunStarted\",\"s\":\"ü \\n\"}"),
          entry("facts", 0, 0, 10, "{}"),
          entry("facts", 1, 5, 10, "{\"a\": [1, {}] }"),
          entry("dispatches", 0, 1, 10, "{\"b\":2}"),
          entry("facts", 0, 1, 11, "not an event"),
          entry("facts", 0, 2, 9, "{\"clock\":\"stepped back\"}"),
          entry("outcomes", 1, 7, 11, ""),
          entry("dead-letters", 0, 0, 12, "{\"a\":1}\n{\"b\":2}"),
          entry("metrics", 0, 3, 13, "{\"a\":1}{\"b\":2}"));

  private Path write(List<RecordedEntry> entries) throws IOException {
    Path file = folder.resolve("log.jsonl.gz");
    try (var writer = RecordingWriter.ofLog(file, HEADER)) {
      for (RecordedEntry entry : entries) {
        writer.write(entry);
      }
      writer.finish();
    }
    return file;
  }

  private static List<RecordedEntry> read(Path file, boolean salvage) throws UserMistakeException {
    try (var reader = RecordingReader.ofLog(file, salvage)) {
      List<RecordedEntry> entries = new ArrayList<>();
      for (RecordedEntry e = reader.next(); e != null; e = reader.next()) {
        entries.add(e);
      }
      assertThat(reader.next()).isNull();
      return entries;
    }
  }

  private static List<String> texts(List<RecordedEntry> entries) {
    return entries.stream()
        .map(
            e ->
                String.join(
                    " ",
                    e.topic(),
                    "" + e.partition(),
                    "" + e.offset(),
                    "" + e.appendedAtEpochMs(),
                    Arrays.toString(e.value())))
        .toList();
  }

  private static String text(Path file) throws IOException {
    try (var in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private Path rewrite(String text) throws IOException {
    return rewrite(text.getBytes(UTF_8));
  }

  private Path rewrite(byte[] bytes) throws IOException {
    Path file = folder.resolve("changed.jsonl.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(bytes);
    }
    return file;
  }

  private static String refusal(Path file, boolean salvage) {
    var thrown = new UserMistakeException[1];
    assertThatThrownBy(() -> read(file, salvage))
        .isInstanceOfSatisfying(UserMistakeException.class, e -> thrown[0] = e);
    return thrown[0].getMessage();
  }

  @Test
  void aLog_comesBackAsItWas_withItsHeader() throws Exception {
    Path file = write(ENTRIES);
    assertThat(texts(read(file, false))).isEqualTo(texts(ENTRIES));
    assertThat(RecordingReader.headerOf(file)).isEqualTo(HEADER);
    assertThat(folder)
        .isDirectoryContaining(p -> p.equals(file))
        .isDirectoryNotContaining(p -> p.toString().endsWith("unfinished"));
  }

  @Test
  void aLine_holdsTheEventAsItStood_andOtherBytesInBase64() throws Exception {
    List<String> lines = text(write(ENTRIES)).lines().toList();
    assertThat(lines.get(0))
        .startsWith(
            "{\"sluice\":\"recording\",\"version\":1,\"kind\":\"log\",\"run_id\":\"run-1\"");
    assertThat(lines.get(3))
        .isEqualTo(
            "{\"topic\":\"facts\",\"partition\":1,\"offset\":5,\"appended_ms\":10,"
                + "\"event\":{\"a\": [1, {}] }}");
    assertThat(lines.get(5)).endsWith(",\"bytes\":\"bm90IGFuIGV2ZW50\"}");
    assertThat(lines.get(9)).contains(",\"bytes\":\""); // two objects are not one
    assertThat(lines.get(10)).startsWith("{\"records\":9,\"sha256\":\"").hasSize(12 + 12 + 64 + 1);
  }

  @Test
  void equalLogs_giveEqualBytes_inAFileAndInAStream() throws Exception {
    byte[] file = Files.readAllBytes(write(ENTRIES));
    assertThat(Files.readAllBytes(write(ENTRIES))).isEqualTo(file);
    var stream = new ByteArrayOutputStream();
    try (var writer = RecordingWriter.ofLog(stream, HEADER)) {
      for (RecordedEntry entry : ENTRIES) {
        writer.write(entry);
      }
      writer.finish();
    }
    assertThat(stream.toByteArray()).isEqualTo(file);
  }

  @Property(tries = 30)
  void anyBytes_comeBackAsTheyWere(@ForAll long seed, @ForAll @IntRange(max = 2000) int records)
      throws Exception {
    var random = new Random(seed);
    var entries = new ArrayList<RecordedEntry>();
    for (int i = 0; i < records; i++) {
      byte[] value = new byte[random.nextInt(random.nextInt(400) + 1)];
      random.nextBytes(value);
      if (random.nextBoolean()) {
        value = ("{\"k\":\"" + "é".repeat(value.length) + "\"}").getBytes(UTF_8);
      }
      entries.add(new RecordedEntry("facts", 0, i, random.nextInt(1000), value));
    }
    folder = Files.createTempDirectory("recordings");
    Path file = write(entries);
    assertThat(texts(read(file, false))).isEqualTo(texts(entries));
    Files.delete(file);
    Files.delete(folder);
  }

  @Test
  void topics_areThoseOfARun() {
    assertThat(LogOrder.TOPICS.stream().map(name -> "x." + name))
        .containsExactlyInAnyOrderElementsOf(new Topics("x").all());
  }

  @Test
  void aRecordOutOfOrder_isRefusedByTheWriter() throws Exception {
    try (var writer = RecordingWriter.ofLog(folder.resolve("a"), HEADER)) {
      writer.write(entry("facts", 0, 3, 10, "{}"));
      for (RecordedEntry late :
          List.of(
              entry("facts", 0, 3, 11, "{}"),
              entry("runs", 0, 0, 10, "{}"),
              entry("dispatches", 0, 0, 9, "{}"))) {
        assertThatThrownBy(() -> writer.write(late)).isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> writer.write(entry("other", 0, 0, 12, "{}")))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void anUnfinishedWriter_leavesNothing_andKeepsWhatStoodThere() throws Exception {
    byte[] before = Files.readAllBytes(write(ENTRIES));
    try (var writer = RecordingWriter.ofLog(folder.resolve("log.jsonl.gz"), HEADER)) {
      writer.write(ENTRIES.get(0));
    }
    assertThat(folder.toFile().list()).containsExactly("log.jsonl.gz");
    assertThat(folder.resolve("log.jsonl.gz")).hasBinaryContent(before);
  }

  @Test
  void aFullDisk_isTold_andLeavesNoWholeStream() throws Exception {
    var disk =
        new OutputStream() {
          final ByteArrayOutputStream written = new ByteArrayOutputStream();

          @Override
          public void write(int b) throws IOException {
            if (written.size() >= 100_000) {
              throw new IOException("No space left on device");
            }
            written.write(b);
          }
        };
    var random = new Random(1);
    try (var writer = RecordingWriter.ofLog(disk, HEADER)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  byte[] value = new byte[100];
                  random.nextBytes(value);
                  writer.write(new RecordedEntry("facts", 0, i, i, value));
                }
                writer.finish();
              })
          .isInstanceOf(IOException.class)
          .hasMessage("No space left on device");
    }
    Path file = folder.resolve("cut.gz");
    Files.write(file, disk.written.toByteArray());
    assertThat(refusal(file, false)).contains("--salvage");
  }

  @Test
  void aRecordThatIsTooLong_isRefused() throws Exception {
    try (var writer = RecordingWriter.ofLog(folder.resolve("a"), HEADER)) {
      assertThatThrownBy(
              () -> writer.write(new RecordedEntry("facts", 0, 0, 0, new byte[16 << 20])))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("too long");
    }
  }

  @Test
  void aFileCutAnywhere_isRefused_andSalvagedUpToItsLastWholeLine() throws Exception {
    var entries = new ArrayList<RecordedEntry>();
    for (int i = 0; i < 500; i++) {
      entries.add(entry("facts", 0, i, i, "{\"i\":" + i + "}"));
    }
    byte[] whole = Files.readAllBytes(write(entries));
    Path cut = folder.resolve("cut.gz");
    int salvagedBefore = 0;
    for (int length = 400; length < whole.length; length += 37) {
      Files.write(cut, Arrays.copyOf(whole, length));
      assertThat(refusal(cut, false)).matches("(?s).*cut\\.gz:\\d+: error: .* is cut short here.*");
      if (refusalOrNull(cut) == null) {
        try (var reader = RecordingReader.ofLog(cut, true)) {
          int salvaged = 0;
          while (reader.next() != null) {
            salvaged++;
          }
          assertThat(salvaged).isBetween(salvagedBefore, 500);
          assertThat(reader.loss()).contains("cut short after " + salvaged + " whole records");
          salvagedBefore = salvaged;
        }
      }
    }
    assertThat(salvagedBefore).isGreaterThan(400);
  }

  private static String refusalOrNull(Path file) {
    try {
      read(file, true);
      return null;
    } catch (UserMistakeException e) {
      return e.getMessage();
    }
  }

  @Test
  void aWholeLineCutAway_isSalvaged_butNotReadOtherwise() throws Exception {
    String text = text(write(ENTRIES));
    Path file = rewrite(text.substring(0, text.lastIndexOf("{\"records\"")));
    assertThat(refusal(file, false)).contains("changed.jsonl.gz:11", "ends without a trailer");
    assertThat(texts(read(file, true))).isEqualTo(texts(ENTRIES));
  }

  @Test
  void aChangedByte_isFound_alsoWhenSalvaged() throws Exception {
    Path file = rewrite(text(write(ENTRIES)).replace("\"b\":2}}", "\"b\":3}}"));
    assertThat(refusal(file, false)).contains("jsonl.gz:11: error: the trailer does not fit");
    assertThat(refusal(file, true)).contains("the trailer does not fit");
  }

  @Test
  void aMissingLine_andALineBehindTheTrailer_areFound() throws Exception {
    String text = text(write(ENTRIES));
    String without = text.replaceFirst("\\{\"topic\":\"metrics\".*\n", "");
    assertThat(refusal(rewrite(without), false)).contains("the 8 records above it");
    assertThat(refusal(rewrite(text + text), false)).contains("behind the trailer");
    assertThat(refusal(rewrite(text + "x"), false)).contains("behind the trailer");
  }

  @Test
  void bytesBehindTheEndOfTheArchive_areFound_andSalvageLeavesThemOut() throws Exception {
    byte[] whole = Files.readAllBytes(write(ENTRIES));
    for (byte[] behind : new byte[][] {{0}, "garbage".getBytes(UTF_8), new byte[1 << 20], whole}) {
      Path file = folder.resolve("behind.jsonl.gz");
      Files.write(file, joined(whole, behind));
      assertThat(refusal(file, false)).contains(" behind the ");
    }
    Path file = Files.write(folder.resolve("behind.jsonl.gz"), joined(whole, new byte[] {'x'}));
    assertThat(refusal(file, false))
        .startsWith(file + ": error: there are bytes behind the end of the recording.");
    try (var reader = RecordingReader.ofLog(file, true)) {
      for (RecordedEntry entry : ENTRIES) {
        assertThat(reader.next()).extracting(RecordedEntry::offset).isEqualTo(entry.offset());
        assertThat(reader.loss()).isNull();
      }
      assertThat(reader.next()).isNull();
      assertThat(reader.loss()).contains("behind the end of the recording");
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }

  @Test
  void damagedBytesOfTheArchive_areNamedWithTheirLine() throws Exception {
    var entries = new ArrayList<RecordedEntry>();
    for (int i = 0; i < 5000; i++) {
      entries.add(entry("facts", 0, i, i, "{\"i\":" + i * 31L % 9973 + "}"));
    }
    byte[] bytes = Files.readAllBytes(write(entries));
    for (int at = 20; at < bytes.length; at += 997) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x55;
      Path file = folder.resolve("damaged.gz");
      Files.write(file, damaged);
      assertThat(refusal(file, false)).startsWith(file.toString());
    }
  }

  @Test
  void aNewerVersion_isSaidFirst_evenIfNothingElseIsUnderstood() throws Exception {
    Path file = rewrite("{\"sluice\":\"recording\",\"version\":7,\"kind\":\"movie\"}\nrest\n");
    assertThat(refusal(file, false)).contains(":1: error", "version (7)", "reads up to 1");
    assertThat(refusal(file, true)).contains("version (7)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "{}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":0,\"appended_ms\":10,\"event\":{}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":0,\"appended_ms\":10,\"event\":[]}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":0,\"appended_ms\":10,\"event\":{\"a\":}}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":0,\"appended_ms\":1,\"event\":{},\"x\":{}}",
        "{\"topic\":\"facts\",\"partition\":-1,\"offset\":0,\"appended_ms\":10,\"event\":{}}",
        "{\"topic\":\"facts\",\"partition\":2147483648,\"offset\":0,\"appended_ms\":1,\"event\":{}}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":00,\"appended_ms\":10,\"event\":{}}",
        "{\"topic\":\"shoes\",\"partition\":0,\"offset\":0,\"appended_ms\":10,\"event\":{}}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":0,\"appended_ms\":10,\"bytes\":\"?\"}",
        "{\"topic\":\"facts\",\"partition\":0,\"offset\":0,\"appended_ms\":10,\"event\":{}}\r",
        "",
      })
  void aForeignLine_isNamedWithItsPlace(String line) throws Exception {
    String header = text(write(List.of())).lines().findFirst().orElseThrow();
    assertThat(refusal(rewrite(header + "\n" + line + "\n"), true))
        .contains("changed.jsonl.gz:2: error: this line is no record of a log");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"shards\":-1",
        "\"shards\":65537",
        "\"shards\":4294967297",
        "\"shards\":1e9",
        "\"shards\":2.5",
        "\"shards\":\"2\"",
        "\"shards\":123456789012345678901234567890",
        "\"time_zero_epoch_ms\":-1",
        "\"time_zero_epoch_ms\":253402300800000",
        "\"time_zero_epoch_ms\":1e999",
        "\"version\":4294967297",
        "\"version\":-1",
      })
  void aNumberOfTheHeader_beyondItsBounds_isNamedWithItsLine(String field) throws Exception {
    String name = field.substring(0, field.indexOf(':'));
    String header = text(write(List.of())).lines().findFirst().orElseThrow();
    String changed = header.replaceFirst(name + ":\\d+", Matcher.quoteReplacement(field));
    assertThat(changed).isNotEqualTo(header);
    assertThat(refusal(rewrite(changed + "\n"), true))
        .contains(
            "changed.jsonl.gz:1: error: " + name.replace("\"", "") + " (",
            "of the header must be a whole number of at least 0 and at most ");
  }

  @Test
  void linesThatWereMoved_areNamed() throws Exception {
    List<String> lines = text(write(ENTRIES)).lines().toList();
    String moved = lines.get(0) + "\n" + lines.get(4) + "\n" + lines.get(2) + "\n";
    assertThat(refusal(rewrite(moved), true)).contains(":3: error", "facts/0, offset 0");
  }

  @Test
  void whatIsNoRecording_isRefusedWithWhatItIs() throws Exception {
    Path plain = Files.writeString(folder.resolve("plain"), "{\"sluice\":\"recording\"}");
    assertThat(refusal(plain, false)).contains("no gzip file");
    assertThat(refusal(Files.createFile(folder.resolve("empty")), false)).contains("is empty");
    assertThat(refusal(folder, false)).contains("is a folder");
    assertThat(refusal(folder.resolve("none"), false)).contains("no such file");
    assertThat(refusal(rewrite("{\"a\":1}\n"), false)).contains(":1: error: this is no header");
    assertThat(refusal(rewrite("\n"), false)).contains(":1: error: this is no header");
    assertThat(refusal(rewrite("\uFEFF" + text(write(ENTRIES))), false))
        .contains("byte order mark");
    assertThat(refusal(rewrite(""), true)).contains("cut short");
  }

  @Test
  void aLineOfAGigabyte_isRefusedInTheMemoryOfALongLine() throws Exception {
    String header = text(write(List.of())).lines().findFirst().orElseThrow();
    byte[] member = Files.readAllBytes(rewrite(new byte[16 << 20]));
    try (var out = Files.newOutputStream(folder.resolve("giga.gz"))) {
      out.write(Files.readAllBytes(rewrite(header + "\n{\"topic\":\"")));
      for (int i = 0; i < 64; i++) {
        out.write(member);
      }
    }
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertThat(refusal(folder.resolve("giga.gz"), true))
        .contains(":2: error: this line is longer than 16 MiB");
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64L << 20);
  }
}
