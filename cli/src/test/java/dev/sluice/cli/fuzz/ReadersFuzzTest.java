package dev.sluice.cli.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.harness.frame.Seeds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Inputs that are nearly right. Each is accepted, and comes back as it was read where Sluice writes
 * such files; or it is a mistake with its file. Nothing else happens, within 2 s of one processor
 * and 200 MB. {@code -Dsluice.tries=full} tries fifty times as many; a number, that many of each
 * reader; {@code -Dsluice.fuzz.seed} begins elsewhere.
 */
final class ReadersFuzzTest {
  private static final long CPU_NS_MAX = 2_000_000_000;
  private static final long BYTES_MAX = 200_000_000;
  private static final int QUICK = 100;
  private static final int FULL = 50 * QUICK;

  @TempDir private Path folder;

  static Stream<FuzzedReader> readers() throws IOException {
    return Stream.of(
            ContractReaders.all(), MeasuredReaders.all(), PlanReaders.all(), RecordingReaders.all())
        .flatMap(readers -> readers);
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void anInput_isAcceptedOrAMistake_andNothingElse(FuzzedReader reader) throws Exception {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Map<String, Integer> outcomes = new TreeMap<>();
    for (String example : reader.examples()) {
      reader.read().accept(folder, FuzzedReader.bytes(example));
    }
    long[] seeds = Seeds.of(QUICK, FULL);
    for (int i = 0; i < seeds.length; i++) {
      long seed = seeds[i];
      String example = reader.examples().get(i % reader.examples().size());
      byte[] input = new Mutations(seed).of(example);
      long cpuNs = threads.getCurrentThreadCpuTime();
      long bytes = threads.getCurrentThreadAllocatedBytes();
      try {
        reader.read().accept(folder, input);
        outcomes.merge("accepted", 1, Integer::sum);
      } catch (UserMistakeException e) {
        outcomes.merge("mistake", 1, Integer::sum);
        assertThat(e.problems()).as("seed %d", seed).isNotEmpty().allSatisfy(this::assertReadable);
      } catch (UnreadableEventException e) {
        outcomes.merge("mistake", 1, Integer::sum);
      } catch (Exception | StackOverflowError | OutOfMemoryError e) {
        throw new AssertionError(
            "%s, seed %d: %s"
                .formatted(reader, seed, new String(input, StandardCharsets.ISO_8859_1)),
            e);
      }
      assertThat(threads.getCurrentThreadCpuTime() - cpuNs)
          .as("processor time of %s, seed %d", reader, seed)
          .isLessThan(CPU_NS_MAX);
      assertThat(threads.getCurrentThreadAllocatedBytes() - bytes)
          .as("memory of %s, seed %d", reader, seed)
          .isLessThan(BYTES_MAX);
    }
    System.out.println("fuzz: " + reader + ", seeds from " + seeds[0] + ": " + outcomes);
    assertThat(outcomes).as("kinds of outcomes").containsKey("mistake");
  }

  private void assertReadable(Problem problem) {
    assertThat(problem.location()).startsWith(folder.toString());
    assertThat(problem.toString().chars().filter(c -> c != '\n').noneMatch(Character::isISOControl))
        .as(problem.toString())
        .isTrue();
    assertThat(problem.what()).hasSizeLessThan(1_000);
    if (!problem.location().matches("(?s).*:\\d+")) { // no line is to blame
      assertThat(problem.what())
          .containsAnyOf(
              "missing",
              "empty",
              "holds no",
              "not listed",
              "has no",
              "needs",
              "is left",
              "no type has",
              "no gzip file",
              "cut short");
    }
  }
}
