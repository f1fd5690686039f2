package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.value.ModelKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Service times of a recorded run, of rows written by hand. */
final class ProfileOfARunTest {
  private static final ModelKey MODEL = new ModelKey("m", "onnx", "fp32");

  @TempDir private Path folder;

  @Test
  void isTheMeanByBusyLanes_andEachBatchIsOffByWhatItTookLonger() throws Exception {
    Files.writeString(folder.resolve("summary.json"), "{\"request_digest\": \"a\"}");
    Files.write(
        folder.resolve("dispatches.csv"),
        List.of(
            "lane_id,result,decided_time,start_time,end_time,workload_name,backend,precision,"
                + "samples,service_ms,emulated_service_ms,completed_time,busy_lanes,dispatch_id,"
                + "job_ids,tokens,attempt,predicted_service_ms,score_terms,shard",
            batch(0, 1.0, 90, 1),
            batch(0, 2.0, 110, 1),
            batch(0, 3.0, 100, 1),
            // beside another: a half of it alone, a half beside
            batch(0, 4.0, 150, 1),
            batch(1, 4.05, 200, 2),
            batch(1, 5.0, 200, 2),
            batch(1, 6.0, 200, 2)));
    Profile profile = Profile.read(folder);

    assertThat(profile.table().meanMs(MODEL, 1, 1)).isEqualTo(112.5, within(1e-9));
    assertThat(profile.table().meanMs(MODEL, 1, 2)).isEqualTo(200, within(1e-9));
    assertThat(profile.residuals()).isNotNull();
    assertThat(profile.residuals().get(0).factor()).isEqualTo(0.8, within(1e-9));
    assertThat(profile.residuals().get(3).factor())
        .as("50 ms alone, 100 ms beside another")
        .isEqualTo(50 / 112.5 + 100 / 200.0, within(1e-9));
  }

  private static String batch(int lane, double startedAtSeconds, int ms, int busyLanes) {
    return "e/%d,done,%3$s,%3$s,%4$s,m,onnx,fp32,1,%2$d,,%4$s,%5$d,1-0,j,1,1,0,,0"
        .formatted(
            lane,
            ms,
            Double.toString(startedAtSeconds),
            Double.toString(startedAtSeconds + ms / 1e3),
            busyLanes);
  }
}
