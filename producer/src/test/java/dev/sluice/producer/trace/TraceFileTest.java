package dev.sluice.producer.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.experiment.Replay.Column;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.trace.Trace.TraceOptions;
import dev.sluice.producer.trace.Trace.TraceOptions.Window;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces of each known format, with made-up rows. */
final class TraceFileTest {
  private static final long S = 1_000_000_000;

  @TempDir private Path folder;

  static Stream<Arguments> samples() {
    return Stream.of(
        Arguments.of("a trace of your own", TraceSamples.OWN),
        Arguments.of("a trace of your own", TraceSamples.OWN_JSON),
        Arguments.of("Azure Functions 2019", TraceSamples.azureFunctions2019()),
        Arguments.of("Azure Functions 2021", TraceSamples.AZURE_FUNCTIONS_2021),
        Arguments.of("Azure LLM 2023 and 2024, LMM 2025", TraceSamples.AZURE_LLM_2023),
        Arguments.of("Azure LLM 2023 and 2024, LMM 2025", TraceSamples.AZURE_LLM_2024),
        Arguments.of("Azure LLM 2023 and 2024, LMM 2025", TraceSamples.AZURE_LMM_2025),
        Arguments.of("BurstGPT", TraceSamples.BURST_GPT),
        Arguments.of("BurstGPT", TraceSamples.BURST_GPT_WITH_SESSIONS),
        Arguments.of("Mooncake", TraceSamples.MOONCAKE),
        Arguments.of("Qwen-Bailian", TraceSamples.QWEN_BAILIAN),
        Arguments.of("Alibaba GenAI 2026", TraceSamples.ALIBABA_GEN_AI));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void isTakenForItsFormat_andLosesNoRow(String format, String text) throws Exception {
    Trace trace = read(text);
    assertThat(trace.format()).isEqualTo(format);
    long left = trace.leftOut().values().stream().mapToLong(Long::longValue).sum();
    assertThat(trace.read()).isEqualTo(trace.requests().size() + left);
    assertThat(trace.read()).isEqualTo(format.equals("Azure Functions 2019") ? 66 : 12);
    assertThat(times(trace)).isSorted();
  }

  /** A byte order mark, CRLF, blanks, quotes, a missing last line feed and gzip change nothing. */
  @ParameterizedTest
  @MethodSource("samples")
  void isTheSame_howeverItWasSaved(String format, String text) throws Exception {
    Trace plain = read(text);
    assertEqual(read("\uFEFF" + text), plain);
    assertEqual(read(text.replace("\n", "\r\n")), plain);
    assertEqual(read(text.strip()), plain);
    assertEqual(read("\n" + text.replace("\n", "\n\n")), plain);
    assertEqual(read(gzip(text.getBytes(StandardCharsets.UTF_8))), plain);
    if (!text.startsWith("{")) {
      assertEqual(read("# a comment\n" + text.replace(",", " , ")), plain);
      assertEqual(read(text.replaceAll("(?m)(^|,)([^,\n]+)", "$1\"$2\"")), plain);
    }
  }

  private static void assertEqual(Trace trace, Trace other) {
    assertThat(times(trace)).isEqualTo(times(other));
    assertThat(kinds(trace)).isEqualTo(kinds(other));
    assertThat(trace.leftOut()).isEqualTo(other.leftOut());
  }

  @Test
  void ownTracesSayWhatTheirColumnsSay() throws Exception {
    Trace trace = read(TraceSamples.OWN);
    assertThat(times(trace))
        .containsExactly(
            0,
            S / 2,
            S / 2,
            1_250_000_000,
            1_250_000_001,
            2 * S,
            3 * S,
            3_500_000_000L,
            4 * S,
            5 * S,
            6 * S,
            7 * S);
    assertThat(kinds(trace).subList(0, 7))
        .containsExactly(
            new RequestKind("interactive", "resnet18", "onnx", "fp32", 1, 100_000_000),
            new RequestKind("batch", "resnet50", "onnx", "fp32", 8, S),
            new RequestKind("batch", "resnet50", "onnx", "fp32", 8, S),
            new RequestKind("interactive", "resnet18", "onnx", "fp32", 1, 100_000_000),
            new RequestKind("interactive", "resnet18", "onnx", "fp32", 1, 99_500_000),
            RequestKind.UNKNOWN,
            new RequestKind("batch", "resnet50", null, null, 0, 0));
    assertThat(Set.copyOf(kinds(trace))).hasSize(5);
  }

  @Test
  void columnsAreFoundByName_whereverTheyStand() throws Exception {
    Trace moved = read("samples,of,slo_ms,time_s,class\n8,no,1000,0.5,batch\n,interest,,1,\n");
    assertThat(times(moved)).containsExactly(S / 2, S);
    assertThat(kinds(moved))
        .containsExactly(new RequestKind("batch", null, null, null, 8, S), RequestKind.UNKNOWN);
  }

  @Test
  void jsonLinesMayLackKeys() throws Exception {
    assertThat(kinds(read(TraceSamples.OWN_JSON)).subList(0, 5))
        .containsExactly(
            RequestKind.UNKNOWN,
            new RequestKind("batch", "resnet50", "onnx", "fp32", 0, 0),
            new RequestKind("batch", "resnet50", null, null, 8, S),
            RequestKind.UNKNOWN,
            new RequestKind(null, null, null, null, 0, 99_500_000));
  }

  @Test
  void aMinutesCountsAreSpreadOverIt_asTheSeedSays() throws Exception {
    Trace trace = read(TraceSamples.azureFunctions2019());
    assertThat(LongStream.of(times(trace)).map(ns -> ns / (60 * S)).boxed())
        .containsExactlyElementsOf(
            LongStream.range(0, 12)
                .flatMap(minute -> LongStream.generate(() -> minute).limit(minute))
                .boxed()
                .toList());
    assertThat(times(trace)).doesNotHaveDuplicates();
    Path file = TraceSamples.write(folder, TraceSamples.azureFunctions2019());
    var other = new TraceOptions(Map.of(), names -> List.of(), Window.WHOLE, false, 1);
    assertThat(times(Trace.read(file, other))).isNotEqualTo(times(trace));
  }

  @Test
  void invocationsOf2021BeginTheirDurationBeforeTheirEnd_andAreSorted() throws Exception {
    Trace trace = read(TraceSamples.AZURE_FUNCTIONS_2021);
    assertThat(times(trace))
        .containsExactly(
            S / 4,
            S / 2,
            9 * S / 4,
            5 * S / 2,
            23 * S / 8,
            3 * S,
            9 * S / 2,
            23 * S / 4,
            55 * S / 8,
            15 * S / 2,
            8_999_000_000L);
    assertThat(trace.leftOut()).containsExactly(Map.entry("before the trace's time zero", 1L));
    assertThat(trace.notes()).containsExactly("its rows were sorted by time");
  }

  @Test
  void datesCountFromTheEarliest_withSixOrSevenDigits_withOrWithoutOffset() throws Exception {
    for (String text :
        List.of(
            TraceSamples.AZURE_LLM_2023,
            TraceSamples.AZURE_LLM_2024,
            TraceSamples.AZURE_LMM_2025)) {
      assertThat(times(read(text)))
          .containsExactly(LongStream.range(0, 12).map(i -> i * S).toArray());
    }
    assertThat(
            times(
                read(
                    """
                    TIMESTAMP,ContextTokens,GeneratedTokens
                    2024-02-29 23:59:59.9999999+02:00,1,1
                    2024-02-29T22:00:00Z,1,1
                    2024-02-29 23:00:00.0000001+0100,1,1
                    2024-02-28 22:00:00-24,1,1
                    """)))
        .containsExactly(0, 100, 100, 200);
  }

  @Test
  void failedRequestsOfBurstGptAreLeftOut_inBothOfItsForms() throws Exception {
    for (String text : List.of(TraceSamples.BURST_GPT, TraceSamples.BURST_GPT_WITH_SESSIONS)) {
      Trace trace = read(text);
      assertThat(times(trace))
          .containsExactly(
              5 * S, 10 * S, 15 * S, 20 * S, 25 * S, 35 * S, 40 * S, 45 * S, 50 * S, 55 * S);
      assertThat(trace.leftOut()).containsExactly(Map.entry("failed, without response tokens", 2L));
    }
  }

  /** Both have a key {@code timestamp}: one in milliseconds, the other in seconds. */
  @Test
  void mooncakeCountsInMilliseconds_andQwenBailianInSeconds() throws Exception {
    assertThat(times(read(TraceSamples.MOONCAKE)))
        .containsExactly(0, 0, 0, 3 * S, 3 * S, 3 * S, 6 * S, 6 * S, 6 * S, 9 * S, 9 * S, 9 * S);
    assertThat(times(read(TraceSamples.QWEN_BAILIAN)))
        .containsExactly(LongStream.range(0, 12).map(i -> i * S + S / 4).toArray());
  }

  @Test
  void ofTiesEachIsPartedWithinItsSecond() throws Exception {
    assertThat(times(read(TraceSamples.ALIBABA_GEN_AI)))
        .containsExactly(0, 0, 0, 0, S, S, S, S, 2 * S, 2 * S, 2 * S, 2 * S);
    Trace parted =
        read(
            TraceSamples.ALIBABA_GEN_AI,
            new TraceOptions(Map.of(), names -> List.of(), Window.WHOLE, true, 5));
    assertThat(times(parted)).doesNotHaveDuplicates().isSorted();
    assertThat(Arrays.stream(times(parted)).map(ns -> ns / S))
        .containsExactly(0L, 0L, 0L, 0L, 1L, 1L, 1L, 1L, 2L, 2L, 2L, 2L);
    assertThat(parted.notes()).containsExactly("12 requests of equal times were parted");
    var cut =
        new TraceOptions(
            Map.of(), names -> List.of(), new Window(0, Long.MAX_VALUE, S / 2), true, 5);
    assertThat(LongStream.of(times(read(TraceSamples.ALIBABA_GEN_AI, cut))).boxed())
        .hasSize(4)
        .allMatch(ns -> ns < S / 2);
  }

  @Test
  void aWindowKeepsItsPart_andCountsTheRestByReason() throws Exception {
    Map<String, Long> whole = Map.of("before the trace's time zero", 1L);
    var window = new Window(S / 2, 6 * S, 5 * S);
    Trace trace =
        read(
            TraceSamples.AZURE_FUNCTIONS_2021,
            new TraceOptions(Map.of(), names -> List.of(), window, false, 0));
    assertThat(times(trace))
        .containsExactly(S / 2, 9 * S / 4, 5 * S / 2, 23 * S / 8, 3 * S, 9 * S / 2);
    assertThat(trace.leftOut())
        .containsAllEntriesOf(whole)
        .containsEntry("before from and the warm-up", 1L)
        .containsEntry("at or after to", 3L)
        .containsEntry("after the run's last arrival", 1L)
        .hasSize(4);
    Trace dated =
        read(
            TraceSamples.AZURE_LLM_2024,
            new TraceOptions(
                Map.of(), names -> List.of(), new Window(2 * S, 4 * S, Long.MAX_VALUE), false, 0));
    assertThat(times(dated)).containsExactly(2 * S, 3 * S);
    Trace minutes =
        read(
            TraceSamples.azureFunctions2019(),
            new TraceOptions(
                Map.of(),
                names -> List.of(),
                new Window(150 * S, 240 * S, Long.MAX_VALUE),
                false,
                0));
    assertThat(LongStream.of(times(minutes)).boxed())
        .isNotEmpty()
        .allMatch(ns -> ns >= 150 * S && ns < 240 * S);
    assertThat(minutes.read()).isEqualTo(66);
    assertThat(minutes.leftOut()).containsEntry("at or after to", 60L);
  }

  @Test
  void chosenColumnsSayTheAttributes() throws Exception {
    var columns =
        Map.of(
            "samples", new Column("NumImages", false),
            "workload", new Column("GeneratedTokens", true));
    Trace trace =
        read(
            TraceSamples.AZURE_LMM_2025,
            new TraceOptions(
                columns,
                attribute -> attribute.equals("workload") ? List.of("a", "b") : List.of(),
                Window.WHOLE,
                false,
                0));
    assertThat(trace.leftOut()).containsExactly(Map.entry("with NumImages outside 1 to 4096", 1L));
    assertThat(kinds(trace))
        .containsExactlyElementsOf(
            LongStream.range(1, 12)
                .mapToObj(i -> new RequestKind(null, "a", null, null, (int) i, 0))
                .toList());
  }

  @Test
  void stripesDealValuesToNames_asTheyFirstOccur() throws Exception {
    var columns = Map.of("workload", new Column("func", true));
    Trace trace =
        read(
            TraceSamples.AZURE_FUNCTIONS_2021,
            new TraceOptions(columns, names -> List.of("a", "b", "c"), Window.WHOLE, false, 0));
    // by end f1 a, f2 b, f3 c, f4 a; sorted by beginning
    assertThat(kinds(trace).stream().map(RequestKind::workload))
        .containsExactly("b", "a", "a", "b", "c", "a", "a", "a", "c", "a", "a");
  }

  @Test
  void refusesAColumnThatIsMissing() {
    assertMistake(
        TraceSamples.AZURE_LLM_2023.replace("ContextTokens", "Context"),
        ":1: error: this looks like Azure LLM 2023 and 2024, LMM 2025, and lacks the column"
            + " (ContextTokens).");
    assertMistake(
        TraceSamples.azureFunctions2019(1439), ":1: error: the column (1440) is missing.");
    assertThatThrownBy(
            () ->
                read(
                    TraceSamples.AZURE_LMM_2025,
                    new TraceOptions(
                        Map.of("samples", new Column("NumImage", false)),
                        names -> List.of(),
                        Window.WHOLE,
                        false,
                        0)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(":1: error: the column (NumImage) is missing.")
        .hasMessageContaining("Maybe you meant NumImages.");
  }

  @Test
  void refusesAColumnThatStandsThereTwice() {
    assertMistake(
        "time_s,class,time_s\n1,batch,1\n",
        ":1: error: the column (time_s) stands there twice, as number 1 and 3.");
    assertMistake(
        "{\"time_s\":1,\"time_s\":2}\n",
        ":1: error: this is not JSON (the key (time_s) stands there twice, at 1:");
    assertMistake(
        "{\"time_s\":1}\n{\"time_s\":1,\"time_s\":2}\n",
        ":2: error: the key (time_s) stands there twice.");
  }

  /** Only what is read is required, in any case of letters, and blank lines are passed over. */
  @Test
  void takesFilesAsPeopleHaveThem() throws Exception {
    assertThat(read("Timestamp,Model,Response tokens\n0.5,GPT-4,3\n2,GPT-4,1\n").format())
        .isEqualTo("BurstGPT");
    for (String rest : List.of("\"output_length\": 5", "\"hash_ids\": [1]")) {
      Trace trace =
          read(
              "{\"timestamp\": 0, \"input_length\": 6, %s}\n".formatted(rest)
                  + "{\"timestamp\": 500, \"input_length\": 6, %s}\n".formatted(rest));
      assertThat(trace.format()).isEqualTo("Mooncake");
      assertThat(times(trace)).containsExactly(0, S / 2);
    }
    Trace vidur = read("arrived_at,num_prefill_tokens,num_decode_tokens\n0.1,100,20\n0.4,100,20\n");
    assertThat(vidur.format()).isEqualTo("Vidur");
    assertThat(times(vidur)).containsExactly(S / 10, 4 * S / 10);
    assertEqual(
        read(
            TraceSamples.AZURE_LLM_2023.replaceFirst(
                "TIMESTAMP,ContextTokens", "timestamp,contexttokens")),
        read(TraceSamples.AZURE_LLM_2023));
    assertEqual(
        read(TraceSamples.OWN.replaceFirst("time_s,class", "Time_S,CLASS")),
        read(TraceSamples.OWN));
    assertEqual(read(TraceSamples.OWN.replace("2,,,", "\n  \n\t\n2,,,")), read(TraceSamples.OWN));
  }

  @Test
  void otherSeparators_andOtherPackers_areNamedWithTheWayOut() throws Exception {
    assertMistake(
        "time_s;samples\n0,5;1\n",
        ":1: error: the columns stand between semicolons, not commas (time_s;samples).",
        "sed 's/,/./g; s/;/,/g' ");
    assertMistake(
        "TIMESTAMP\tContextTokens\n2023-11-16 18:15:46.0\t1\n",
        ":1: error: the columns stand between tabs, not commas (TIMESTAMP, ContextTokens).",
        "tr '\\t' ',' < ");
    for (List<String> packed :
        List.of(
            List.of("28b52ffd", "compressed by zstd", "zstd -d"),
            List.of("fd377a58", "compressed by xz", "xz -d"),
            List.of("425a6839", "compressed by bzip2", "bzip2 -d"),
            List.of("504b0304", "a zip archive", "unzip"))) {
      Path file = Files.write(folder.resolve("packed"), HexFormat.of().parseHex(packed.get(0)));
      assertThatThrownBy(() -> Trace.read(file, TraceOptions.WHOLE))
          .isInstanceOf(UserMistakeException.class)
          .hasMessage(
              file
                  + ": error: the file is "
                  + packed.get(1)
                  + ", and only gzip is read.\n  Maybe it should be unpacked first: "
                  + packed.get(2)
                  + " "
                  + file
                  + ".");
    }
  }

  @Test
  void timesSince1970_areNamedWithTheWayOut() throws Exception {
    assertMistake(
        "x,time_s\n1,1732612345678\n",
        ":2: error: time_s (1732612345678) is out of range: as it stands it counts milliseconds"
            + " since 1970.",
        "awk -F, -v OFS=, 'NR==2{z=$2} NR>1{$2=sprintf(\"%.6f\",($2-z)/1e3)} 1' ");
    assertMistake("time_s\n1732612345678000\n", "it counts microseconds since 1970.", "/1e6)} 1' ");
    assertMistake("time_s\n1732612345678000000\n", "it counts nanoseconds since 1970.");
    assertMistake(
        "{\"time_s\":1732612345678}\n",
        "it counts milliseconds since 1970.",
        "Each time should have the first one taken away, and be divided by 10^3.");
    String seconds = "time_s\n1732612345.5\n1732612346\n";
    assertThat(times(read(seconds))).hasSize(2); // the whole of it, as record takes it
    var played =
        new TraceOptions(
            Map.of(), names -> List.of(), new Window(0, Long.MAX_VALUE, 60 * S), false, 0);
    Path file = TraceSamples.write(folder, seconds);
    assertThatThrownBy(() -> Trace.read(file, played))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            ":1: error: time_s begins at (1732612345.5), which counts seconds since 1970, and no"
                + " request is left to play.")
        .hasMessageContaining("NR>1{$1=sprintf(\"%.6f\",($1-z))} 1' ");
  }

  @Test
  void refusesAnUnknownFormat_andNamesTheKnownOnes() {
    assertMistake(
        "when,what\n1,2\n",
        ":1: error: no known trace has these columns (when,what).",
        "time_s",
        "HashOwner,HashApp,HashFunction,Trigger,1 … 1440",
        "app,func,end_timestamp,duration",
        "TIMESTAMP,ContextTokens,GeneratedTokens",
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
        "chat_id,timestamp",
        "gmt_create");
    assertMistake("", "error: the file is empty.");
    assertMistake("\u0001\u0002", ":1: error: no known trace has these columns");
    assertMistake("\u0000\u0001\u0002", ":1: error: the file is not UTF-8 text");
  }

  @Test
  void refusesTimestampsOfTwoKinds() {
    assertMistake(
        TraceSamples.AZURE_LLM_2024 + "2024-05-10 00:01:00.000000,1,1\n",
        ":14: error: TIMESTAMP (2024-05-10 00:01:00.000000) has no offset from UTC, and that of"
            + " line 2 has one.");
    assertMistake(
        TraceSamples.AZURE_LLM_2023 + "1700158546.5,1,1\n",
        ":14: error: TIMESTAMP (1700158546.5) is no date with a time.");
    assertMistake(
        TraceSamples.MOONCAKE.replace("3000", "\"2023-11-16 18:15:46\""),
        ":4: error: timestamp (2023-11-16 18:15:46) is not a number.");
  }

  @Test
  void refusesTimesThatGoBack_inATraceOfYourOwn() {
    assertMistake(
        "time_s\n1\n3\n2\n", ":4: error: the time of this row is before that of the row above it.");
  }

  @Test
  void refusesWhatIsNoNumber() {
    assertMistake("time_s\nNaN\n", ":2: error: time_s (NaN) is not a number.");
    assertMistake("time_s\n1\nsoon\n", ":3: error: time_s (soon) is not a number.");
    assertMistake("time_s\n-\n", ":2: error: time_s (-) is not a number.");
    assertMistake("time_s\n1e30\n", ":2: error: time_s (1e30) is out of range.");
    assertMistake("time_s\n99999999999\n", ":2: error: time_s (99999999999) is out of range.");
    assertMistake("time_s\n1" + "0".repeat(200), ":2: error: time_s (1000");
    assertMistake("time_s,samples\n1,1.5\n", ":2: error: samples (1.5) is not a whole number.");
    assertMistake("time_s,slo_ms\n1,0\n", ":2: error: slo_ms (0) must be above 0.");
    assertMistake("time_s,slo_ms\n1,-5\n", ":2: error: slo_ms (-5) must be above 0.");
  }

  @Test
  void refusesRowsThatAreCutOrShifted() {
    assertMistake("time_s,class\n1,batch\n2\n", ":3: error: this row has (1) fields, not (2).");
    assertMistake("time_s\n1,batch\n", ":2: error: this row has (2) fields, not (1).");
    assertMistake("time_s,class\n1,\"batch\n2,b\"\n", ":2: error: a quote is not closed");
    assertMistake("{\"time_s\":1}\n{\"time_s\":2", ":2: error: this is not JSON");
    assertMistake("{\"time_s\":1}\n[1]\n", ":2: error: a row is no JSON object.");
    assertMistake("{\"time_s\":[1]}\n", ":1: error: time_s is no single value.");
    assertMistake(
        "time_s\n" + "1".repeat(1 << 21), ":2: error: this line has more than (1048576) bytes.");
  }

  @Test
  void refusesWhatIsNoFile_orCompressedAndCut() throws IOException {
    assertThatThrownBy(() -> Trace.read(folder.resolve("no.csv"), TraceOptions.WHOLE))
        .hasMessageContaining("no.csv: error: the trace cannot be read (no such file or folder).");
    assertThatThrownBy(() -> Trace.read(folder, TraceOptions.WHOLE))
        .hasMessageContaining("error: this is a folder, not a trace.");
    byte[] whole = gzip(TraceSamples.OWN.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> read(Arrays.copyOf(whole, whole.length - 12)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("not copied whole");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"})
  void refusesAnotherEncoding_asCsvAndAsJson_packedOrNot(String encoding) throws Exception {
    for (String text : List.of(TraceSamples.OWN, TraceSamples.OWN_JSON)) {
      byte[] bytes = text.getBytes(Charset.forName(encoding));
      for (byte[] saved : List.of(bytes, gzip(bytes))) {
        assertThatThrownBy(() -> read(saved))
            .isInstanceOf(UserMistakeException.class)
            .hasMessageContaining(":1: error: the file is not UTF-8 text (it begins as UTF-16");
      }
    }
  }

  @Test
  void refusesALetterOfAnotherEncoding_withItsLine() {
    byte[] bytes = "time_s,class\n0,batch\n1,fähig\n".getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(":3: error: this line is not UTF-8 text.");
  }

  @Test
  void rowsMayBeLongerThanTheBuffer() throws Exception {
    String row = ",batch," + "x".repeat(100_000) + "\n";
    Trace trace = read("time_s,class,note\n0" + row + "1" + row + "2" + row);
    assertThat(times(trace)).containsExactly(0, S, 2 * S);
  }

  private void assertMistake(String text, String... parts) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContainingAll(parts);
  }

  private static List<RequestKind> kinds(Trace trace) {
    return trace.requests().stream().map(RecordedRequest::kind).toList();
  }

  private static long[] times(Trace trace) {
    return trace.requests().stream().mapToLong(RecordedRequest::intendedAtNs).toArray();
  }

  private Trace read(String text) throws IOException, UserMistakeException {
    return read(text, TraceOptions.WHOLE);
  }

  private Trace read(String text, TraceOptions options) throws IOException, UserMistakeException {
    return Trace.read(TraceSamples.write(folder, text), options);
  }

  private Trace read(byte[] bytes) throws IOException, UserMistakeException {
    Path file = Files.write(Files.createTempFile(folder, "trace", ".gz"), bytes);
    return Trace.read(file, TraceOptions.WHOLE);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    }
    return out.toByteArray();
  }
}
