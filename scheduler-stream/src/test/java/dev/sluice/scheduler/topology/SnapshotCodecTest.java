package dev.sluice.scheduler.topology;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
  @Test
  void namesAGroupOnce_andAnIdOnlyWhereItDoesNotFollowFromTheIndex() throws IOException {
    List<CoreEntity> jobs =
        List.of(
            job("job-3", 3, "batch", 1), job("job-3", 4, "batch", 1), job("own", 5, "batch", 2));
    assertThat(new String(written(jobs, 1 << 10), UTF_8))
        .isEqualTo(
            """
            ["batch","small","onnx","fp32",2,1,1,1000000000]\
            [0,3,30,300,3000,1]\
            [0,"job-3",4,40,400,4000,1]\
            ["batch","small","onnx","fp32",2,2,1,1000000000]\
            [1,"own",5,50,500,5000,1]""");
    assertThat(SnapshotCodec.read(new ByteArrayInputStream(written(jobs, 1 << 10))))
        .isEqualTo(jobs);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 100_000})
  void comesBack_inChunksOfAnySize(int size) throws IOException {
    List<CoreEntity> all =
        List.of(
            job("job-0", 0, "batch", 1),
            new CoreEntity.DeviceCorrection("cpu", 0.5),
            job("a \"quoted\" id \u00e4", 1, "interactive", 4),
            job("job-007", 7, "batch", 1),
            job("job-8", Long.MAX_VALUE, "b\\s", 1));
    assertThat(SnapshotCodec.read(new ByteArrayInputStream(written(all, size)))).isEqualTo(all);
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
            10 * index);
    return new WaitingJob(spec, 100 * index, 1000 * index, 1);
  }
}
