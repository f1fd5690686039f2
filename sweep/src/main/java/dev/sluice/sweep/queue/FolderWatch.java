package dev.sluice.sweep.queue;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which files came into folders. Events get lost when many come at once: then this is told,
 * and the listener reads the folders. Where a file system reports no events, nothing is told.
 */
final class FolderWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FolderWatch.class);

  private final WatchService service;

  /** Listener to a watch, called on its thread. */
  @FunctionalInterface
  interface Listener {
    /**
     * Files came.
     *
     * @param files their paths; none: more than could be told
     */
    void came(List<Path> files);
  }

  private FolderWatch(WatchService service) {
    this.service = service;
  }

  /** Begins to watch. */
  static FolderWatch of(List<Path> folders, Listener listener) throws IOException {
    WatchService service = folders.get(0).getFileSystem().newWatchService();
    for (Path folder : folders) {
      if (Files.isDirectory(folder)) {
        var unused = folder.register(service, StandardWatchEventKinds.ENTRY_CREATE);
      }
    }
    var thread = new Thread(() -> watch(service, listener), "sluice-folder-watch");
    thread.setDaemon(true);
    thread.start();
    return new FolderWatch(service);
  }

  private static void watch(WatchService service, Listener listener) {
    try {
      while (true) {
        WatchKey key = service.take();
        List<Path> files = new ArrayList<>();
        boolean all = true;
        for (WatchEvent<?> event : key.pollEvents()) {
          if (event.context() instanceof Path name && key.watchable() instanceof Path folder) {
            files.add(folder.resolve(name));
          } else {
            all = false;
          }
        }
        key.reset();
        if (!all || !files.isEmpty()) {
          listener.came(all ? files : List.of());
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      LOG.debug("the watch has ended");
    }
  }

  @Override
  public void close() throws IOException {
    service.close();
  }
}
