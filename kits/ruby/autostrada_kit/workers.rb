# Runs a server as several processes that share one port.

require_relative "ending"

module AutostradaKit
  # Calls the block in this process or, with several workers, once in each child process. An
  # exception ends the program with its message as the reason.
  def self.run_workers(workers, &serve)
    return serve_or_exit(&serve) if workers == 1

    children = []
    is_terminated = false
    # While children are being started, one of them may be missing from the list.
    trap("TERM") { children.size == workers ? end_all(children) : is_terminated = true }
    workers.times { children << fork { serve_or_exit(&serve) } }
    end_all(children) if is_terminated
    Process.wait
    warn "a worker has ended"
    end_all(children)
  end

  def self.serve_or_exit
    trap("TERM", "DEFAULT")
    yield
  rescue StandardError => error
    warn error.backtrace
    exit_with("", error.message)
  end
  private_class_method :serve_or_exit

  def self.end_all(children)
    children.each do |child|
      Process.kill("KILL", child)
      Process.wait(child)
    rescue Errno::ESRCH, Errno::ECHILD
      next
    end
    exit!(1)
  end
  private_class_method :end_all
end
