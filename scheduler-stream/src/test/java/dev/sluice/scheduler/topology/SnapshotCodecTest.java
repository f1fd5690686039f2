package dev.sluice.scheduler.topology;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.JobSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SnapshotCodecTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 100_000})
  void comesBack_inChunksOfAnySize(int size) throws IOException {
    List<CoreEntity> all =
        List.of(
            job("job-0", 0, "batch", 1),
            new CoreEntity.DeviceCorrection("cpu", 0.5),
            job("a \"quoted\" id \u00e4", 1, "interactive", 4),
            job("job-007", 7, "batch", 1),
            job("job-8", Long.MAX_VALUE, "b\\s", 1),
            new WaitingJob(
                new JobSpec(
                    "w/n",
                    0,
                    1,
                    "batch",
                    "small",
                    "onnx",
                    "fp32",
                    1,
                    1,
                    9,
                    8,
                    new JobSpec.Node(3, 0, 7)),
                2,
                3,
                0));
    assertThat(SnapshotCodec.read(new ByteArrayInputStream(written(all, size)))).isEqualTo(all);
  }

  /** A change of this text needs another {@code FORM} of the {@link SnapshotStore}. */
  @Test
  void aWaitingJob_isWrittenInTheFormThatTheStoreNumbers() {
    assertThat(written(List.of(job("job-7", 7, "batch", 4)), 1000))
        .asString(UTF_8)
        .isEqualTo(
            """
            {"WaitingJob":[["job-7",2,7,"batch","small","onnx","fp32",4,1,1000000000,70,null],\
            700,7000,1]}\
            """);
  }

  @Test
  void anEventThatLacksAField_isNotRead() throws IOException {
    String whole =
        """
        {"Executor":{"order":0,"lost":false,"report":{"type":"ExecutorReported",\
        "executorId":"e","incarnation":1,"leaving":false,"deviceKind":"cpu","lanes":[],\
        "capabilities":[],"clockOffsetNsMax":0}}}
        """;
    assertThat(read(whole))
        .extracting(entity -> ((CoreEntity.Executor) entity).report().executorId())
        .containsExactly("e");
    assertThatIOException()
        .isThrownBy(() -> read(whole.replace("\"executorId\":\"e\",", "")))
        .withMessageContaining("executorId");
  }

  private static List<CoreEntity> read(String json) throws IOException {
    return SnapshotCodec.read(new ByteArrayInputStream(json.getBytes(UTF_8)));
  }

  private static byte[] written(List<CoreEntity> entities, int size) {
    var all = new ByteArrayOutputStream();
    var writer = new SnapshotCodec.Writer(entities);
    for (byte[] chunk = writer.next(size); chunk != null; chunk = writer.next(size)) {
      assertThat(chunk.length).isBetween(1, size);
      all.writeBytes(chunk);
    }
    return all.toByteArray();
  }

  private static CoreEntity job(String id, long index, String classType, int samples) {
    var spec =
        new JobSpec(
            id,
            2,
            index,
            classType,
            "small",
            "onnx",
            "fp32",
            samples,
            1,
            1_000_000_000L,
            10 * index,
            null);
    return new WaitingJob(spec, 100 * index, 1000 * index, 1);
  }
}
